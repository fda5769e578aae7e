// Exits in the middle of a call.
import { speak, text } from './speak.mjs';

speak(() => [
  { name: 'die', inputSchema: { type: 'object' }, call: () => process.exit(1) },
  { name: 'live', inputSchema: { type: 'object' }, call: () => text(String(process.pid)) },
]);
