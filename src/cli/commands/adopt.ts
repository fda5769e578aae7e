import type { Command } from 'commander';
import { FleetError } from '../../domain/errors.ts';
import { actorOf } from '../../domain/principal.ts';
import { audited } from '../audited.ts';
import type { Cli } from '../cli.ts';
import { coderBackendOf } from '../coder-backend-of.ts';
import { examples, jsonOption, refuseInsideAgent } from '../command.ts';
import { confirmed } from '../confirm.ts';
import { openOwned, terminalUser } from '../run-operation.ts';

interface AdoptOptions {
  readonly role?: string;
  readonly backend?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function adoptCommand(command: Command, cli: Cli): void {
  command
    .description('Make an existing Coder workspace an agent. Its workspace is started anew.')
    .argument('<workspace>', 'name of a workspace of yours')
    .option('--role <role>', 'a preset of its template (default: the one that it has)')
    .option('--backend <name>', 'which Coder, where the configuration has several')
    .option('--yes', 'do not ask first');
  examples(jsonOption(command), [
    ['fleet adopt my-workspace --yes', 'from now on it is listed and takes tasks'],
  ]);
  command.action(async (workspace: string, options: AdoptOptions) => {
    refuseInsideAgent(cli, 'fleet adopt');
    await using opened = await openOwned(cli);
    const backend = coderBackendOf(await opened.coder(), options.backend);
    const question = `Start the workspace ${workspace} anew, as an agent of this fleet?`;
    if (!(await confirmed(cli, question, options.yes === true)))
      throw new FleetError('INVALID_INPUT', 'Nothing was done.', { field: 'yes' });
    const input = { workspace, role: options.role ?? null };
    const agent = await audited(opened, { operation: 'adopt_workspace', input, env: cli.env }, () =>
      backend.adopt(workspace, { by: actorOf(terminalUser(cli.env)), role: options.role }),
    );
    const { name, workspace_id, project, role } = agent;
    if (options.json === true) return cli.out.json({ agent_name: name, workspace_id, project, role });
    cli.out.line(`${name} is an agent now, of project ${project}.`);
  });
}
