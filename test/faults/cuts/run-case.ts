import { setTimeout as delay } from 'node:timers/promises';
import { agentsOf } from '../../support/fleets/fleet-under-test.ts';
import { byHarness, INTERFACES, type Interface } from '../interfaces.ts';
import { diskProblems } from '../disk-problems.ts';
import { journalProblems } from '../journal-problems.ts';
import { journalsOf } from '../journals.ts';
import { lookProblems } from '../look-problems.ts';
import type { Scenario, Seen } from '../scenario.ts';
import { settle } from '../settle.ts';
import { Stage } from '../stage.ts';

export interface Case {
  readonly scenario: Scenario;
  readonly through: Interface;
  /** `runner-1 17`; without it nobody is stopped. */
  readonly point?: string;
}

export interface CaseResult {
  /** What the process that was stopped was about to do, or had just done; undefined when it never came so far. */
  readonly cutAt: string | undefined;
  readonly problems: readonly string[];
  readonly trace: readonly string[];
}

const MAX_WAIT_MS = 40_000;
const QUIET_MS = 300;
const STILL_MS = 10_000;

/** Stops one process at one moment of an operation, and looks at what became of the fleet. */
export async function runCase(one: Case): Promise<CaseResult> {
  const { scenario, point } = one;
  await using stage = new Stage(scenario.stage);
  const problems: string[] = [];
  try {
    await scenario.setUp(stage);
    const { through } = one;
    const first = await act(stage, one);
    stage.disarm();
    problems.push(...(await lookProblems(stage)).map((problem) => `at the next look: ${problem}`));
    const again = await byHarness(stage, scenario.call(stage), through);
    await settle(stage);
    problems.push(...(await settledProblems(stage, scenario, { through, first, again })));
    await deleteAll(stage);
    problems.push(...endProblems(stage));
  } catch (thrown) {
    problems.push(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
  }
  return {
    cutAt: point === undefined ? undefined : stage.cutAt(point),
    problems,
    trace: stage.trace(),
  };
}

async function act(stage: Stage, { scenario, through, point }: Case) {
  if (scenario.fromStart === true) stage.arm(point);
  await using caller = await INTERFACES[through](stage);
  stage.arm(point);
  const outcome = await caller.call(scenario.call(stage));
  if (scenario.release === true) stage.release();
  if (through !== 'cli') await untilCutOr(stage, scenario, point);
  return outcome;
}

/** Waits until the moment has come, or all is over and no further moment comes. Looks at files alone: a look by the fleet
 *  would mend what it finds. */
async function untilCutOr(stage: Stage, scenario: Scenario, point: string | undefined): Promise<void> {
  const until = performance.now() + MAX_WAIT_MS;
  let [count, since] = [-1, 0];
  while (performance.now() < until) {
    if (point !== undefined && stage.wasCut(point)) return;
    const trace = stage.trace();
    if (trace.length !== count) [count, since] = [trace.length, performance.now()];
    const quiet = performance.now() - since;
    // A call that failed may have set nothing going; the one after it will.
    if (quiet > STILL_MS || (quiet > QUIET_MS && scenario.over(stage))) return;
    await delay(15);
  }
  throw new Error('it never came to an end');
}

async function settledProblems(stage: Stage, scenario: Scenario, seen: Seen): Promise<string[]> {
  return [
    ...(await scenario.verify(stage, seen)),
    ...(await lookProblems(stage)),
    ...journalsOf(stage.home).flatMap((journal) =>
      journalProblems(journal, { marks: (key) => stage.marks(key), over: false }),
    ),
    ...diskProblems(stage, false),
  ];
}

async function deleteAll(stage: Stage): Promise<void> {
  for (const { name } of await agentsOf(stage.ask)) await stage.ask('delete_agent', { agent_name: name });
}

function endProblems(stage: Stage): string[] {
  return [
    ...journalsOf(stage.home).flatMap((journal) =>
      journalProblems(journal, { marks: (key) => stage.marks(key), over: true }),
    ),
    ...diskProblems(stage, true),
  ].map((problem) => `after all was deleted: ${problem}`);
}
