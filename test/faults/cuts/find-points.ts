import type { Interface } from '../interfaces.ts';
import { inTurns } from '../in-turns.ts';
import { noteRetried } from '../note-retried.ts';
import { isWanted } from '../options.ts';
import { runCase, type Case, type CaseResult } from './run-case.ts';
import type { Scenario } from '../scenario.ts';
import { SCENARIOS } from '../scenarios.ts';

export interface Point extends Case {
  /** What to type to have this one alone. */
  readonly id: string;
  readonly role: string;
  readonly point: string;
}

/** Goes through each operation once with nobody stopped, and finds every moment at which somebody can be. */
export async function findPoints(only: string, jobs: number): Promise<Point[]> {
  const [operation = ''] = only.split('/');
  const runs = SCENARIOS.filter((scenario) => isWanted(slugOf(scenario), operation)).flatMap((scenario) =>
    scenario.interfaces.map((through) => ({ scenario, through })),
  );
  const found = await inTurns(runs, jobs, ({ scenario, through }) => pointsOf(scenario, through));
  return found.flat().filter(({ id }) => isWanted(id, only));
}

/** The case of an id such as `create/runner-1/17`. */
export function pointOf(id: string): Point {
  const [slug, role = '', number] = id.split('/');
  const scenario = SCENARIOS.find((each) => slugOf(each) === slug);
  if (scenario === undefined)
    throw new Error(`there is no operation ${slug}: ${SCENARIOS.map(slugOf).join(', ')}`);
  const [base] = role.split('-');
  const through = base === 'cli' || base === 'server' ? base : 'harness';
  return { scenario, through, role, point: `${role} ${number}`, id };
}

export function slugOf({ name }: Pick<Scenario, 'name'>): string {
  return name.replaceAll(/\W+/g, '-');
}

async function pointsOf(scenario: Scenario, through: Interface): Promise<Point[]> {
  const first = await runCase({ scenario, through });
  const { problems, trace } = first.problems.length === 0 ? first : await runAgain({ scenario, through });
  if (problems.length > 0)
    throw new Error(
      `${scenario.name} by ${through} does not work with nobody stopped:\n${problems.join('\n')}`,
    );
  const wanted = through === 'harness' ? scenario.only : through;
  return trace
    .map((line) => line.split(' '))
    .filter(([role]) => wanted === undefined || role?.startsWith(`${wanted}-`))
    .map(([role, number]) => ({ ...pointOf(`${slugOf(scenario)}/${role}/${number}`), through }));
}

/** On a busy machine a case may take longer than it is waited for. */
async function runAgain(one: Case): Promise<CaseResult> {
  const result = await runCase(one);
  if (result.problems.length === 0) noteRetried(`npm run test:faults -- --only ${slugOf(one.scenario)}`);
  return result;
}
