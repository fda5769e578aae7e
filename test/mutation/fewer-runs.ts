import { configureGlobal } from 'fast-check';

// A mutant that a property finds is found by few of its cases; a hundred for each mutant would take hours.
configureGlobal({ numRuns: 20 });
