// Needs a while before it listens: so many milliseconds.
import { setTimeout as delay } from 'node:timers/promises';
import { speak, text } from './speak.mjs';

await delay(Number(process.argv[2]));
speak(() => [{ name: 'work', inputSchema: { type: 'object' }, call: () => text('worked') }]);
