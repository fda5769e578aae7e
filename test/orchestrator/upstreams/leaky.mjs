// Starts children in sessions of their own, and ends neither them nor itself when it is asked to.
import { spawn } from 'node:child_process';
import { speak, text } from './speak.mjs';

process.on('SIGTERM', () => {});
const children = [1, 2, 3].map(() => spawn('sleep', ['120'], { detached: true, stdio: 'ignore' }));
// Whoever should have ended them is gone without having done so: nothing stays on the machine.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid === parent) return;
  for (const child of children) child.kill('SIGKILL');
  process.exit(1);
}, 500);
speak(() => [
  {
    name: 'children',
    inputSchema: { type: 'object' },
    call: () => text(JSON.stringify([process.pid, ...children.map(({ pid }) => pid)])),
  },
]);
