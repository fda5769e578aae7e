import { byDoor } from './by-door.ts';

byDoor({ kind: 'SDK v2, modern era', over: 'stdio' });
