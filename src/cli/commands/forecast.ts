import type { Command } from 'commander';
import type { Answer } from '../../operations/table.ts';
import { examples, jsonOption } from '../calls/command.ts';
import { openSession, type Session } from '../calls/run-operation.ts';
import type { Cli } from '../output/cli.ts';
import { printableLine } from '../output/printable.ts';
import { FleetError } from '../../domain/values/errors.ts';

interface ForecastFlags {
  readonly project?: string;
  readonly skipChecks?: boolean;
  readonly last?: boolean;
  readonly json?: boolean;
}

export function forecastCommand(command: Command, cli: Cli): void {
  command
    .description(
      "Will the fleet merge? Merge the branches of a project's agents without changing anything, and run the project's checks on the result.",
    )
    .argument('[names...]', 'only these agents')
    .option('--project <name>', 'the project (default: the only one)')
    .option('--skip-checks', 'only merge, run no checks')
    .option('--last', 'show the newest forecast, and make no new one');
  examples(jsonOption(command), [
    ['fleet forecast', 'all agents of the only project'],
    ['fleet forecast sony papi', 'only these agents'],
    ['fleet forecast --project Setup --last', 'the forecast that was made last'],
  ]);
  command.action(async (names: readonly string[], flags: ForecastFlags) => {
    await using session = await openSession(cli);
    const project = flags.project ?? (await onlyProject(session));
    const answer =
      flags.last === true
        ? await session.call('show_forecast', { project })
        : await session.call(
            'start_forecast',
            {
              project,
              skip_checks: flags.skipChecks,
              agent_names: names.length === 0 ? undefined : [...names],
            },
            {
              progress: (message) => {
                if (cli.err.isTerminal) cli.err.line(printableLine(message));
              },
            },
          );
    if (flags.json === true) return cli.out.json(answer);
    cli.out.write(forecastText(answer));
  });
}

async function onlyProject(session: Session): Promise<string> {
  const { projects } = await session.call('list_agent_projects', {});
  const [only] = projects;
  if (only !== undefined && projects.length === 1) return only.name;
  throw new FleetError(
    'INVALID_INPUT',
    `Name the project with --project: ${projects.map(({ name }) => name).join(', ')}.`,
    { field: 'project' },
  );
}

export function forecastText(forecast: Answer<'start_forecast'>): string {
  const { message, merged, conflicts, checks, left_out } = forecast;
  const lines = [
    message,
    ...(merged.length === 0 ? [] : [`merge: ${merged.join(', ')}`]),
    ...conflicts.map(
      ({ agent, with: others, paths }) =>
        `conflict: ${agent} with ${others.length === 0 ? 'the base' : others.join(', ')}: ${paths.join(', ')}`,
    ),
    ...checks.map(
      ({ name, state, broken_by }) =>
        `check ${name}: ${state.replace('_', ' ')}${broken_by === null ? '' : `, since ${broken_by}`}`,
    ),
    ...(left_out.length === 0 ? [] : [`left out: ${left_out.join(', ')}`]),
  ];
  return lines.map((line) => `${printableLine(line)}\n`).join('');
}
