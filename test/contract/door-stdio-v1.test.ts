import { byDoor } from './by-door.ts';

byDoor({ kind: 'SDK v1', over: 'stdio' });
