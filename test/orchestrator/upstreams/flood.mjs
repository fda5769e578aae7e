// Answers a call with 100 MB in one line.
import { speak, text } from './speak.mjs';

speak(() => [
  { name: 'flood', inputSchema: { type: 'object' }, call: () => text('x'.repeat(100 * 1024 * 1024)) },
  { name: 'live', inputSchema: { type: 'object' }, call: () => text('alive') },
]);
