// Runs commands for timer.ts and says how long each took.
import { spawnSync } from 'node:child_process';

process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {});
process.on('message', ({ file, args, cwd, env }) => {
  const start = performance.now();
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd, env, encoding: 'utf8' });
  const ms = performance.now() - start;
  process.send({ ms, status, stdout, said: error?.message ?? stderr });
});
