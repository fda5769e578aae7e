import { PassThrough } from 'node:stream';
import { Cli } from './output/cli.ts';
import { runCli } from './run-cli.ts';

/** Runs a command line in this process and keeps what it prints. For tests. */
export async function tryCli(words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  // A home that cannot be made: a test that would reach the fleet fails instead of finding the user's own.
  const safe = { FLEET_HOME: '/dev/null/fleet', ...env };
  const stdout = collector();
  const stderr = collector();
  const cli = new Cli({ env: safe, cwd: process.cwd(), stdout: stdout.stream, stderr: stderr.stream });
  const exitCode = await runCli(words, cli);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

function collector() {
  const stream = new PassThrough({ encoding: 'utf8' });
  return { stream, text: () => String(stream.read() ?? '') };
}
