import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigSource } from '../../config/config-source.ts';
import { findConfig } from '../../config/find-config.ts';
import { isTrusted, refuseTrustInsideAgent, trust } from '../../config/trust.ts';
import { FleetError } from '../../domain/errors.ts';
import { ensureHome, resolveHome } from '../../platform/home.ts';
import type { Cli } from '../cli.ts';
import { examples, jsonOption } from '../command.ts';
import { printableLine } from '../printable.ts';
import { startedPrograms } from '../started-programs.ts';

export function trustCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Trust a fleet.yaml as it is now, so that it can start programs. A changed file is not trusted any more.',
    )
    .argument('[file]', 'the configuration (default: ./fleet.yaml)');
  examples(jsonOption(command), [['fleet trust', 'the one of this directory, after reading it']]);
  command.action((file: string | undefined, options: { readonly json?: boolean }) => {
    refuseTrustInsideAgent(cli.env);
    const path = file === undefined ? foundConfig(cli) : resolve(cli.cwd, file);
    const home = ensureHome(resolveHome(cli.env));
    const source = new ConfigSource({
      location: { path, named: false },
      env: cli.env,
      isTrusted: (at, hash) => isTrusted(home, at, hash),
    });
    const { hash, config } = source.current();
    trust(home, { path, hash, at: new Date().toISOString() });
    if (options.json === true) return cli.out.json({ path, hash, trusted: true });
    cli.out.line(`Trusted as it is now: ${path}`);
    for (const program of startedPrograms(config)) cli.out.line(`  ${printableLine(program)}`);
  });
}

function foundConfig(cli: Cli): string {
  const found = findConfig({ flag: cli.config, env: cli.env, cwd: cli.cwd });
  if (found !== undefined) return found.path;
  throw new FleetError(
    'NOT_FOUND',
    'There is no fleet.yaml here to trust. Name one, or make one with fleet init.',
    {
      field: 'file',
    },
  );
}
