import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { ensureHome, resolveHome } from '../platform/home.ts';

endWithLauncher(process.env);
keepCompiledCode(process.env);
const { runCli } = await import('./run-cli.ts');
process.exitCode = await runCli(process.argv.slice(2));

/** When bin/fleet.js runs this on another Node, it stands between us and whoever asked: we end with it. */
function endWithLauncher(env: NodeJS.ProcessEnv): void {
  const launcher = Number(env['FLEET_LAUNCHER_PID']);
  // Agents and runners that this process starts must not take it for their own launcher.
  delete env['FLEET_LAUNCHER_PID'];
  if (!Number.isSafeInteger(launcher) || launcher <= 0) return;
  setInterval(() => {
    if (process.ppid !== launcher) process.exit(1);
  }, 500).unref();
}

/** Compiled code is kept in the home, so that the next start is quick. Never a reason to fail. */
function keepCompiledCode(env: NodeJS.ProcessEnv): void {
  // An agent's home is not its own to write to.
  if ((env['FLEET_SELF_SOCKET'] ?? '') !== '') return;
  try {
    enableCompileCache(join(ensureHome(resolveHome(env)), 'cache', 'compile'));
  } catch {
    // A home that cannot be used is reported by the commands that need it.
  }
}
