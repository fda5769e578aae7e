import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { examples, jsonOption } from '../command.ts';
import { runOperation } from '../run-operation.ts';
import { table } from '../table.ts';

export function projectsCommand(command: Command, cli: Cli): void {
  command.description('List the projects that agents can be created for.');
  examples(jsonOption(command), [['fleet projects', 'what there is to work on']]);
  command.action(async (options: { readonly json?: boolean }) => {
    const answer = await runOperation(cli, 'list_agent_projects', {});
    if (options.json === true) return cli.out.json(answer);
    if (answer.total_count === 0) return cli.err.line('No projects yet. In a git repository: fleet init');
    cli.out.write(
      table(
        answer.projects,
        [
          { header: 'PROJECT', value: (project) => project.name },
          { header: 'BACKEND', value: (project) => project.backend },
          { header: 'DESCRIPTION', value: (project) => project.description },
        ],
        cli.out,
      ),
    );
  });
}
