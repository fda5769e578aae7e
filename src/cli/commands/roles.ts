import type { Command } from 'commander';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption } from '../calls/command.ts';
import { runOperation } from '../calls/run-operation.ts';
import { table } from '../output/table.ts';

export function rolesCommand(command: Command, cli: Cli): void {
  command
    .description('List the roles that an agent of a project can have.')
    .argument('<project>', 'name of the project');
  examples(jsonOption(command), [['fleet roles Setup', 'the roles of the project Setup']]);
  command.action(async (project: string, options: { readonly json?: boolean }) => {
    const answer = await runOperation(cli, 'list_agent_roles', { project });
    if (options.json === true) return cli.out.json(answer);
    cli.out.write(
      table(
        answer.roles,
        [
          { header: 'ROLE', value: (role) => role.name },
          { header: 'DEFAULT', value: (role) => (role.default ? 'yes' : '') },
          { header: 'DESCRIPTION', value: (role) => role.description },
        ],
        cli.out,
      ),
    );
  });
}
