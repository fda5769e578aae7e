import { cut, oneLine } from '../values/text.ts';

/** A named command that says whether the work of an agent is right. */
export interface Check {
  readonly name: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly timeout_ms: number;
}

export interface CheckResult {
  readonly name: string;
  readonly state: 'passing' | 'failing';
  /** Null for a check that did not run to its end. */
  readonly exit_code: number | null;
  readonly took_ms: number;
  /** The end of what it printed. */
  readonly output: string;
  readonly checked_at: string;
}

/** The state of all checks of one commit. */
export const CHECK_STATES = ['passing', 'failing', 'running', 'not_run'] as const;
export type CheckState = (typeof CHECK_STATES)[number];

/** The checks of an agent, and the environment that they run in: no role adds to it. */
export interface AgentChecks {
  readonly all: readonly Check[];
  readonly env: Readonly<Record<string, string>>;
  /** How often in a row failing checks become a task of the agent. */
  readonly retries: number;
}

export const DEFAULT_CHECK_TIMEOUT_MS = 10 * 60_000;
/** Bytes of a check's output that are kept. */
export const CHECK_OUTPUT_BYTES = 16 * 1024;

/** Characters of a check's name. */
const NAME_LIMIT = 80;

/** The checks of a project, and those of a spec that the project does not have. Each gets a name of its own. */
export function joinChecks(project: readonly Check[], spec: readonly Check[]): readonly Check[] {
  const all: Check[] = [];
  const isTaken = (name: string): boolean => all.some((each) => each.name === name);
  for (const check of [...project, ...spec]) {
    const command = JSON.stringify(check.command);
    if (all.some((each) => JSON.stringify(each.command) === command)) continue;
    const wanted = cut(oneLine(check.name), NAME_LIMIT);
    let name = wanted;
    for (let number = 2; isTaken(name); number++) name = `${wanted} (${number})`;
    all.push({ ...check, name });
  }
  return all;
}

/** Passing when each check has passed, failing when one has failed. */
export function overallState(
  checks: readonly Pick<Check, 'name'>[],
  results: readonly Pick<CheckResult, 'name' | 'state'>[],
): 'passing' | 'failing' | 'not_run' {
  if (results.some(({ state }) => state === 'failing')) return 'failing';
  const passed = new Set(results.map(({ name }) => name));
  return checks.length > 0 && checks.every(({ name }) => passed.has(name)) ? 'passing' : 'not_run';
}

export function failedNames(results: readonly Pick<CheckResult, 'name' | 'state'>[]): readonly string[] {
  return results.filter(({ state }) => state === 'failing').map(({ name }) => name);
}

/** The same for two runs in which the same checks failed in the same way. What they printed may differ, such as times. */
export function failureFingerprint(results: readonly CheckResult[]): string {
  const failed = results
    .filter(({ state }) => state === 'failing')
    .map(({ name, exit_code }) => [name, exit_code] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(failed);
}

/** A check that was stopped, or that could not be started, says nothing of the work: it runs again. */
export function isConclusive({ exit_code }: Pick<CheckResult, 'exit_code'>): boolean {
  return exit_code !== null;
}
