import { setTimeout as delay } from 'node:timers/promises';
import { agentsOf } from '../../support/fleets/fleet-under-test.ts';
import { diskProblems } from '../disk-problems.ts';
import { journalProblems } from '../journal-problems.ts';
import { journalsOf } from '../journals.ts';
import { lookProblems } from '../look-problems.ts';
import { settle } from '../settle.ts';
import { Stage } from '../stage.ts';
import { runCaller } from './callers.ts';
import { ChaosServer } from './chaos-server.ts';
import { runKiller } from './killer.ts';
import { keptProblems, answerProblems } from './answer-problems.ts';

export interface ChaosOptions {
  readonly seed: number;
  readonly minutes: number;
  tell(line: string): void;
}

export interface ChaosResult {
  readonly calls: number;
  readonly kills: number;
  readonly problems: readonly string[];
}

const CALLERS = [1, 2, 3];
const CHECK_EVERY_MS = 2_000;

/** Several callers use one fleet while its processes are killed at random; then all must be as it was promised. */
export async function runChaos({ seed, minutes, tell }: ChaosOptions): Promise<ChaosResult> {
  await using stage = new Stage({ sleep_after: '1s' });
  const problems = new Set<string>();
  const { told, kills } = await disturb(stage, { seed, minutes, tell }, problems);
  try {
    await settle(stage);
    const settled = await lookProblems(stage);
    for (const { name } of await agentsOf(stage.ask)) await stage.ask('delete_agent', { agent_name: name });
    const ended = journalsOf(stage.home).flatMap((journal) =>
      journalProblems(journal, { marks: (key) => stage.marks(key), over: true }),
    );
    for (const problem of [
      ...settled,
      ...ended,
      ...answerProblems(stage, told),
      ...keptProblems(stage),
      ...diskProblems(stage, true),
    ])
      problems.add(problem);
  } catch (thrown) {
    problems.add(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
  }
  return { calls: told.length, kills, problems: [...problems] };
}

async function disturb(stage: Stage, { seed, minutes, tell }: ChaosOptions, problems: Set<string>) {
  const end = new AbortController();
  await using server = new ChaosServer(stage);
  const parts = { stage, server, seed, signal: end.signal, tell };
  const callers = CALLERS.map((caller) => runCaller(caller, parts));
  const [killer, checker] = [runKiller(parts), check(stage, end.signal, problems)];
  await delay(minutes * 60_000);
  end.abort();
  const told = (await Promise.all(callers)).flat();
  await checker;
  return { told, kills: await killer };
}

/** Looks at the fleet and its journals all the time. They change meanwhile: only what stays is a problem. */
async function check(stage: Stage, signal: AbortSignal, problems: Set<string>): Promise<void> {
  let before: readonly string[] = [];
  while (!signal.aborted) {
    const seen = [
      ...(await lookProblems(stage)),
      ...journalsOf(stage.home).flatMap((journal) =>
        journalProblems(journal, { marks: (key) => stage.marks(key), over: false }),
      ),
    ];
    for (const problem of seen) if (before.includes(problem)) problems.add(`all the time: ${problem}`);
    before = seen;
    await delay(CHECK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
