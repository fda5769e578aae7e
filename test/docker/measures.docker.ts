import { successCriteria } from '../coder/success-criteria.ts';
import { dockerFleet } from './docker-fleet.ts';

successCriteria('with containers', dockerFleet);
