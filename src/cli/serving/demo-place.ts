import type { Cli } from '../output/cli.ts';
import { terminalUser } from '../calls/run-operation.ts';
import type { ServedPlace } from './run-server.ts';

/** True when there is a configuration, of whatever kind, that a fleet here would use. */
export async function isConfigured(cli: Cli): Promise<boolean> {
  const { findConfig } = await import('../../config/find-config.ts');
  return findConfig({ flag: cli.config, env: cli.env, cwd: cli.cwd }) !== undefined;
}

/** The demo's own home, ready, with what brings it to life. */
export async function demoPlace(cli: Cli): Promise<ServedPlace> {
  const [{ prepareDemo }, { stageDemo }] = await Promise.all([
    import('../../demo/prepare-demo.ts'),
    import('../../demo/stage-demo.ts'),
  ]);
  const { home, config } = prepareDemo(cli.env);
  return {
    env: { ...cli.env, FLEET_HOME: home, FLEET_CONFIG: config },
    greeting: [
      'This is the demo: four agents without a model do real work on a small git repository,',
      `in a home of their own (${home}).`,
      'For a fleet of your own: fleet init, in a git repository of yours.',
    ].join('\n'),
    stage: (fleet) => stageDemo(fleet, terminalUser(cli.env)),
  };
}
