import { resolve } from 'node:path';
import type { Command } from 'commander';
import { findConfig } from '../../config/find-config.ts';
import { refuseTrustInsideAgent } from '../../config/trust.ts';
import { FleetError } from '../../domain/values/errors.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption } from '../calls/command.ts';
import { printableLine } from '../output/printable.ts';
import { startedPrograms } from '../clients/started-programs.ts';
import { trustConfig } from '../clients/trust-config.ts';

export function trustCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Trust a fleet.yaml and the files that it names as they are now, so that it can start programs. When one of them changes, it is no longer trusted.',
    )
    .argument('[file]', 'the configuration (default: fleet.yaml here or above, in the git repository)');
  examples(jsonOption(command), [['fleet trust', 'the one that applies here, after reading it']]);
  command.action((file: string | undefined, options: { readonly json?: boolean }) => {
    refuseTrustInsideAgent(cli.env);
    const path = file === undefined ? foundConfig(cli) : resolve(cli.cwd, file);
    const { hash, config, files } = trustConfig(cli, path);
    if (options.json === true) return cli.out.json({ path, hash, files, trusted: true });
    cli.out.line(`Trusted as it is now: ${path}`);
    for (const program of startedPrograms(config)) cli.out.line(`  ${printableLine(program)}`);
    for (const named of files) cli.out.line(`  with the file ${printableLine(named)}`);
  });
}

function foundConfig(cli: Cli): string {
  const found = findConfig({ flag: cli.config, env: cli.env, cwd: cli.cwd });
  if (found !== undefined) return found.path;
  throw new FleetError(
    'NOT_FOUND',
    'There is no fleet.yaml here or above, in the git repository. Name one, or create one with fleet init.',
    {
      field: 'file',
    },
  );
}
