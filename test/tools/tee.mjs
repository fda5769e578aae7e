// Runs a program; what it prints is also written to a file.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

const [file, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['inherit', 'pipe', 'inherit'] });
child.stdout.on('data', (chunk) => {
  appendFileSync(file, chunk);
  process.stdout.write(chunk);
});
child.once('exit', (code) => (process.exitCode = code ?? 1));
