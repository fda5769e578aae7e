import type { Command } from 'commander';
import { FleetError } from '../../domain/values/errors.ts';
import { actorOf } from '../../domain/principal.ts';
import { audited } from '../calls/audited.ts';
import type { Cli } from '../output/cli.ts';
import { coderBackendOf, coderBackends } from '../../upkeep/coder/coder-backend-of.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { confirmed } from '../calls/confirm.ts';
import { terminalUser } from '../calls/run-operation.ts';
import { openOwned } from '../../fleet/open-owned.ts';

interface AdoptOptions {
  readonly role?: string;
  readonly backend?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function adoptCommand(command: Command, cli: Cli): void {
  command
    .description('Turn an existing Coder workspace into an agent. The workspace is restarted.')
    .argument('<workspace>', 'name of a workspace of yours')
    .option('--role <role>', 'a preset of its template (default: its current one)')
    .option('--backend <name>', 'which Coder, where the configuration has several')
    .option('--yes', 'do not ask for confirmation');
  examples(jsonOption(command), [
    ['fleet adopt my-workspace --yes', 'the workspace is then listed and takes tasks'],
  ]);
  command.action(async (workspace: string, options: AdoptOptions) => {
    refuseInsideAgent(cli, 'fleet adopt');
    await using opened = await openOwned(cli);
    const backend = coderBackendOf(await coderBackends(opened), options.backend);
    const question = `Restart the workspace ${workspace} as an agent of this fleet?`;
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
