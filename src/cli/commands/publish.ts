import type { Command } from 'commander';
import { examples, jsonOption, refuseInsideAgent, repeated } from '../calls/command.ts';
import { openSession } from '../calls/run-operation.ts';
import type { Cli } from '../output/cli.ts';
import { forPeople } from '../output/for-people.ts';
import { printableLine } from '../output/printable.ts';

interface PublishFlags {
  readonly title?: string;
  readonly body?: string;
  readonly draft?: boolean;
  readonly reviewer?: readonly string[];
  readonly label?: readonly string[];
  readonly allowWorkflows?: boolean;
  readonly json?: boolean;
}

export function publishCommand(command: Command, cli: Cli): void {
  command
    .description(
      "Push the commits of an agent to its project's remote, and open its pull request. Do it again to update the same one.",
    )
    .argument('<name>', 'name of the agent')
    .option('--title <text>', 'title (default: from the result of its last task)')
    .option('--body <text>', 'text (default: the results of its tasks)')
    .option('--draft', 'open it as a draft')
    .option('--reviewer <user>', 'ask this user for a review; can be repeated', repeated)
    .option('--label <name>', 'add this label; can be repeated', repeated)
    .option('--allow-workflows', 'also push changed workflows of continuous integration');
  examples(jsonOption(command), [
    ['fleet publish sony', 'push its branch and open a pull request'],
    ['fleet publish sony --draft --reviewer ada --label bug', 'a draft, with a reviewer and a label'],
    ["fleet publish sony --title 'Fix the login'", 'with a title of your own'],
  ]);
  command.action(async (agent_name: string, flags: PublishFlags) => {
    refuseInsideAgent(cli, 'fleet publish');
    await using session = await openSession(cli);
    const answer = await session.call(
      'publish_agent',
      {
        agent_name,
        title: flags.title,
        body: flags.body,
        draft: flags.draft,
        reviewers: [...(flags.reviewer ?? [])],
        labels: [...(flags.label ?? [])],
        allow_workflows: flags.allowWorkflows,
      },
      {
        progress: (message: string): void => {
          if (cli.err.isTerminal) cli.err.line(printableLine(message));
        },
      },
    );
    if (flags.json === true) return cli.out.json(answer);
    cli.out.line(printableLine(forPeople(answer.message)));
  });
}
