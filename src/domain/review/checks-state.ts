import type { CheckState } from './checks.ts';

/** What is known of an agent's checks. */
export interface ChecksState {
  /** The commit that they ran on; null before the first run. */
  readonly commit: string | null;
  readonly state: CheckState;
  readonly failed: readonly string[];
  /** How often in a row failing checks became a task of the agent. */
  readonly retried: number;
  /** The failures that became a task, each with its commit. */
  readonly handed_back: readonly string[];
  /** True when a run was cut off. */
  readonly cut_off: boolean;
}

export const NO_RUN: ChecksState = {
  commit: null,
  state: 'not_run',
  failed: [],
  retried: 0,
  handed_back: [],
  cut_off: false,
};

export interface ChecksStarted {
  readonly commit: string;
  readonly names: readonly string[];
}

export interface ChecksEnded {
  readonly commit: string;
  /** `not_run`: not all of them have run to their end. */
  readonly state: 'passing' | 'failing' | 'not_run';
  readonly failed: readonly string[];
  /** Of failing checks: the same for the same failure. */
  readonly fingerprint?: string;
  /** The task that the failure became. */
  readonly task_id?: string;
  /** True when the run was cut off, so that it has to be repeated. */
  readonly cut_off?: boolean;
}

const MOST_HANDED_BACK = 50;

export function checksStarted(checks: ChecksState | null, { commit }: ChecksStarted): ChecksState {
  return { ...(checks ?? NO_RUN), commit, state: 'running', failed: [], cut_off: false };
}

export function checksEnded(checks: ChecksState | null, body: ChecksEnded): ChecksState {
  const { retried, handed_back } = checks ?? NO_RUN;
  const { commit, state, failed, task_id, cut_off = false } = body;
  const became =
    task_id === undefined
      ? { retried: state === 'passing' ? 0 : retried, handed_back }
      : {
          retried: retried + 1,
          handed_back: [...handed_back, failureKey(body)].slice(-MOST_HANDED_BACK),
        };
  return { commit, state, failed, cut_off, ...became };
}

/** A run that nobody goes on with. */
export function checksCutOff(checks: ChecksState | null): ChecksState | null {
  return checks?.state === 'running' ? { ...checks, state: 'not_run', failed: [], cut_off: true } : checks;
}

/** Work that somebody else asked for begins a new row of retries. */
export function checksAskedAnew(checks: ChecksState | null): ChecksState | null {
  return checks === null || checks.retried === 0 ? checks : { ...checks, retried: 0 };
}

/** Whether failing checks go back to the agent: at most so often in a row, and not twice for the same failure of the same
 *  commit. */
export function mayHandBack(
  checks: ChecksState | null,
  retries: number,
  failure: Pick<ChecksEnded, 'commit' | 'fingerprint'>,
): boolean {
  const { retried, handed_back } = checks ?? NO_RUN;
  return retried < retries && !handed_back.includes(failureKey(failure));
}

export function failingReason({ failed }: Pick<ChecksState, 'failed'>, retried: number): string {
  const tries = retried === 0 ? '' : ` (after ${retried} ${retried === 1 ? 'retry' : 'retries'})`;
  return `reported done, checks failing: ${failed.join(', ')}${tries}`;
}

function failureKey({ commit, fingerprint = '' }: Pick<ChecksEnded, 'commit' | 'fingerprint'>): string {
  return `${commit} ${fingerprint}`;
}
