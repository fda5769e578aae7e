// Starts children in sessions of their own, and ends neither them nor itself when it is asked to.
import { spawn } from 'node:child_process';
import { speak, text } from './speak.mjs';

process.on('SIGTERM', () => {});
setInterval(() => {}, 60_000);
const children = [1, 2, 3].map(() => spawn('sleep', ['3600'], { detached: true, stdio: 'ignore' }));
speak(() => [
  {
    name: 'children',
    inputSchema: { type: 'object' },
    call: () => text(JSON.stringify([process.pid, ...children.map(({ pid }) => pid)])),
  },
]);
