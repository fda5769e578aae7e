import { randomUUID } from 'node:crypto';
import { OPEN_CELL } from '../../../src/platform/processes/cell.ts';
import { findRun } from '../../../src/platform/processes/process-tree.ts';
import { runProgram } from '../../../src/runner/programs/run-program.ts';

// Runs a fork bomb under a limit and says how many processes there were at most, and how many are left.
const marker = randomUUID();
let most = 0;
const looking = setInterval(() => {
  most = Math.max(most, findRun(marker).length);
}, 20);
await runProgram(
  {
    // What cannot be forked ends the shell that tried; what was forked stays to be counted.
    command: ['sh', '-c', '(while :; do sleep 5 & done) 2>/dev/null; exec sleep 1'],
    directory: '/',
    env: { PATH: process.env['PATH'] ?? '' },
    marker,
    cell: { ...OPEN_CELL, processes: Number(process.argv[2]) },
    stdin: '',
    onOutput: () => {},
    onError: () => {},
  },
  new AbortController().signal,
);
clearInterval(looking);
process.stdout.write(JSON.stringify({ most, left: findRun(marker).length }));
