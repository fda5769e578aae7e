import { byDoor } from './by-door.ts';

byDoor({ kind: 'SDK v2, legacy era', over: 'stdio' });
