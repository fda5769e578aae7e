import type { Command } from 'commander';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption } from '../calls/command.ts';
import { printableLine } from '../output/printable.ts';
import { runOperation } from '../calls/run-operation.ts';
import { table } from '../output/table.ts';

export function projectsCommand(command: Command, cli: Cli): void {
  command.description('List the projects that agents can be created for.');
  command.option('--names', 'print names only');
  examples(jsonOption(command), [['fleet projects', 'all projects']]);
  command.action(async (options: { readonly json?: boolean; readonly names?: boolean }) => {
    const answer = await runOperation(cli, 'list_agent_projects', {});
    if (options.json === true) return cli.out.json(answer);
    if (options.names === true) {
      for (const { name } of answer.projects) cli.out.line(printableLine(name));
      return;
    }
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
