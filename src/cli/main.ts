import { runCli } from './run-cli.ts';

endWithLauncher(process.env);
process.exitCode = await runCli(process.argv.slice(2));

/** When bin/fleet.js runs this on another Node, it stands between this process and the caller: this process ends with it. */
function endWithLauncher(env: NodeJS.ProcessEnv): void {
  const launcher = Number(env['FLEET_LAUNCHER_PID']);
  // Agents and runners that this process starts must not take it for their own launcher.
  delete env['FLEET_LAUNCHER_PID'];
  if (!Number.isSafeInteger(launcher) || launcher <= 0) return;
  setInterval(() => {
    if (process.ppid !== launcher) process.exit(1);
  }, 500).unref();
}
