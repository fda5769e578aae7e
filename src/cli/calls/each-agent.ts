import type { Command } from 'commander';
import { toFleetError } from '../../domain/values/errors.ts';
import type { Cli } from '../output/cli.ts';
import { jsonOption } from './command.ts';
import { exitCodeOf, reportFailure } from '../output/exit.ts';
import { printable } from '../output/printable.ts';
import { openSession, type Session } from './run-operation.ts';

export interface EachAgentOptions {
  readonly json?: boolean;
  readonly discardWork?: boolean;
}

/** A command that does the same to every agent it names. One that fails does not keep the others from it. */
export function eachAgentCommand(
  command: Command,
  cli: Cli,
  act: (session: Session, name: string, options: EachAgentOptions) => Promise<{ readonly message: string }>,
): Command {
  command.argument('<names...>', 'names of agents');
  return jsonOption(command).action(async (names: readonly string[], options: EachAgentOptions) => {
    await using session = await openSession(cli);
    const [only] = names;
    if (names.length === 1 && only !== undefined) {
      const answer = await act(session, only, options);
      return options.json === true ? cli.out.json(answer) : cli.out.line(printable(answer.message));
    }
    const results: object[] = [];
    for (const name of names) {
      try {
        const answer = await act(session, name, options);
        results.push(answer);
        if (options.json !== true) cli.out.line(printable(answer.message));
      } catch (thrown) {
        const error = toFleetError(thrown);
        results.push(error.toBody());
        cli.exitCode ||= exitCodeOf(error);
        if (options.json !== true) reportFailure(cli, thrown);
      }
    }
    if (options.json === true) cli.out.json({ results });
  });
}
