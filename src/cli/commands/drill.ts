import type { Command } from 'commander';
import { FleetError } from '../../domain/values/errors.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, refuseInsideAgent, wholeNumber } from '../calls/command.ts';
import type { Judgement } from '../../upkeep/drill/promises.ts';
import type { Paint } from '../output/output.ts';
import { printableLine } from '../output/printable.ts';
import { terminalUser } from '../calls/run-operation.ts';

interface DrillOptions {
  readonly seconds: number;
  readonly json?: boolean;
}

const DEFAULT_SECONDS = 60;
const MOST_SECONDS = 600;
const PROMISE_BROKEN_EXIT = 1;

export function drillCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Run failure tests (kill -9, races, removed files, a full disk) on a throw-away fleet and report which guarantees held. Your own fleet is not touched. Exits 1 if a guarantee did not hold.',
    )
    .option(
      '--seconds <n>',
      `run for about this many seconds, 1 to ${MOST_SECONDS}; at least one round`,
      wholeNumber('--seconds'),
      DEFAULT_SECONDS,
    );
  examples(jsonOption(command), [
    ['fleet drill', `about ${DEFAULT_SECONDS} seconds`],
    ['fleet drill --seconds 10 --json', 'one round, with JSON output'],
  ]);
  command.action(async ({ seconds, json }: DrillOptions) => {
    refuseInsideAgent(cli, 'fleet drill');
    if (!(seconds >= 1 && seconds <= MOST_SECONDS)) {
      throw new FleetError('INVALID_INPUT', `--seconds is 1 to ${MOST_SECONDS}; got ${seconds}.`, {
        field: 'seconds',
      });
    }
    const [{ runDrill }, { judge }] = await Promise.all([
      import('../../upkeep/drill/run-drill.ts'),
      import('../../upkeep/drill/promises.ts'),
    ]);
    const { rounds, evidence } = await runDrill({
      env: cli.env,
      caller: terminalUser(cli.env),
      seconds,
      signal: cli.untilStopped(),
      progress: (message) => cli.err.line(message),
    });
    const promises = judge(evidence);
    const held = promises.every((each) => each.held);
    if (!held) cli.exitCode = PROMISE_BROKEN_EXIT;
    if (json === true) return cli.out.json({ held, rounds, promises });
    cli.out.write(promises.map((each) => judgementText(each, cli.out.paint)).join(''));
  });
}

export function judgementText({ promise, held, cases, broken }: Judgement, paint: Paint): string {
  const verdict = held ? paint('green', 'held  ') : paint('red', 'BROKEN');
  const details = broken.map((each) => `          ${printableLine(each)}\n`).join('');
  return `${verdict}  ${promise} (${cases})\n${details}`;
}
