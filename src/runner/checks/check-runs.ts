import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Launch } from '../../domain/launch.ts';
import { mayRunCommands } from '../../domain/may-run-commands.ts';
import { FLEET_ACTOR, type Actor } from '../../domain/principal.ts';
import {
  failedNames,
  failureFingerprint,
  isConclusive,
  overallState,
  type AgentChecks,
  type Check,
  type CheckResult,
} from '../../domain/review/checks.ts';
import { mayHandBack } from '../../domain/review/checks-state.ts';
import { handBackMessage } from '../../domain/review/hand-back.ts';
import type { LogLevel } from '../../domain/task.ts';
import { appendWithRetry, type ToAppend } from '../journal/append-with-retry.ts';
import type { Journal } from '../journal/journal.ts';
import type { Checker } from './checker.ts';
import { chosenChecks, type ChecksAnswer, type ChecksRequest } from './checks-request.ts';

export interface CheckRunsParts {
  readonly journal: Journal;
  readonly launch: Launch;
  readonly checker: Checker | undefined;
  /** Brings what the agent has committed since. */
  look(): Promise<void>;
  log(level: LogLevel, message: string): void;
}

interface Run {
  readonly abort: AbortController;
  /** True when the end of a task started it. */
  readonly automatic: boolean;
  readonly names: readonly string[] | undefined;
  readonly again: boolean;
  readonly by: Actor;
  commit: string | null;
  message: string;
  isDone: boolean;
  problem?: unknown;
}

const MOST_KNOWN = 50;

/** Runs the checks of an agent, one run at a time, beside its tasks. */
export class CheckRuns implements AsyncDisposable {
  readonly #parts: CheckRunsParts;
  readonly #runs = new Map<string, Run>();
  #turn: Promise<void> = Promise.resolve();
  #isEnding = false;

  constructor(parts: CheckRunsParts) {
    this.#parts = parts;
  }

  get isRunning(): boolean {
    return [...this.#runs.values()].some(({ isDone }) => !isDone);
  }

  /** The agent says that it is done. An agent that may not run commands could gain a shell by what it commits. */
  afterTask(): void {
    const { launch, checker } = this.#parts;
    if (this.#isEnding || checker === undefined || launch.checks === undefined || !mayRunCommands(launch))
      return;
    for (const run of this.#runs.values()) if (run.automatic && !run.isDone) run.abort.abort();
    this.#start(randomUUID(), { automatic: true, names: undefined, again: false, by: FLEET_ACTOR });
  }

  /** Goes on with a run that was cut off. */
  resume(): void {
    const { checks, last_end, queue, running } = this.#parts.journal.state();
    const rests = queue.length === 0 && running === null && last_end?.state === 'complete';
    if (checks?.cut_off === true && rests) this.afterTask();
  }

  /** Starts a run, or finds the one with that id, and waits for its end for a while. */
  async check({ run_id, names, again, within_ms, by }: ChecksRequest): Promise<ChecksAnswer> {
    chosenChecks(this.#parts.launch, names);
    const run = this.#runs.get(run_id) ?? this.#start(run_id, { automatic: false, names, again, by });
    const until = performance.now() + within_ms;
    while (!run.isDone && performance.now() < until)
      await Promise.race([
        this.#turn,
        delay(Math.max(1, until - performance.now()), undefined, { ref: false }),
      ]);
    if (run.problem !== undefined) throw run.problem;
    return { commit: run.commit, running: !run.isDone, message: run.message };
  }

  /** Ends what runs, and starts nothing any more. */
  abort(): void {
    this.#isEnding = true;
    for (const { abort } of this.#runs.values()) abort.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.abort();
    await this.#turn;
  }

  #start(id: string, asked: Pick<Run, 'automatic' | 'names' | 'again' | 'by'>): Run {
    const run: Run = {
      ...asked,
      abort: new AbortController(),
      commit: null,
      message: 'waiting for checks that were started before',
      isDone: false,
    };
    this.#runs.set(id, run);
    for (const [old, { isDone }] of this.#runs)
      if (isDone && this.#runs.size > MOST_KNOWN) this.#runs.delete(old);
    this.#turn = this.#turn
      .then(() => this.#run(run))
      .catch((thrown: unknown) => {
        run.problem = thrown;
        const reason = thrown instanceof Error ? thrown.message : String(thrown);
        this.#parts.log('WARN', `the checks were not run: ${reason}`);
      })
      .finally(() => {
        run.isDone = true;
      });
    return run;
  }

  async #run(run: Run): Promise<void> {
    const { journal, launch, checker, look, log } = this.#parts;
    const { abort, again, automatic, by } = run;
    const chosen = chosenChecks(launch, run.names);
    if (checker === undefined || launch.checks === undefined || abort.signal.aborted) return;
    if (!automatic) await look();
    const commit = await checker.commit();
    run.commit = commit;
    if (!automatic && !again && (await this.#isKnown(commit, chosen, launch.checks))) return;
    const names = chosen.map(({ name }) => name);
    await appendWithRetry(journal, () => ({ by, body: { kind: 'checks.started', commit, names } }));
    try {
      await checker.run({
        commit,
        checks: chosen,
        again,
        signal: abort.signal,
        progress: (message) => {
          run.message = message;
          log('INFO', `check ${message}`);
        },
      });
    } catch (thrown) {
      const cut_off = abort.signal.aborted;
      await appendWithRetry(journal, () => ({
        by: FLEET_ACTOR,
        body: { kind: 'checks.ended', commit, state: 'not_run', failed: [], cut_off },
      }));
      if (abort.signal.aborted) return;
      throw thrown;
    }
    const { checks } = launch;
    const results = await checker.known(commit, checks.all);
    await appendWithRetry(journal, () => ({ by, ...this.#ended(run, { commit, results, checks }) }));
  }

  /** True when there is nothing to run and nothing to tell. */
  async #isKnown(commit: string, chosen: readonly Check[], { all }: AgentChecks): Promise<boolean> {
    const { journal, checker } = this.#parts;
    const results = (await checker?.known(commit, all)) ?? [];
    const has = ({ name }: Check): boolean =>
      results.some((result) => result.name === name && isConclusive(result));
    const { checks } = journal.state();
    return chosen.every(has) && checks?.commit === commit && checks.state === overallState(all, results);
  }

  #ended(
    run: Run,
    of: { readonly commit: string; readonly results: readonly CheckResult[]; readonly checks: AgentChecks },
  ): Pick<ToAppend, 'body' | 'more'> {
    const { commit, results, checks } = of;
    const state = overallState(checks.all, results);
    const ended = { kind: 'checks.ended', commit, state, failed: failedNames(results) } as const;
    if (state !== 'failing') return { body: ended };
    const fingerprint = failureFingerprint(results);
    const { journal } = this.#parts;
    const now = journal.state();
    const rests = now.phase === 'ready' && now.running === null && now.queue.length === 0;
    const hands =
      run.automatic &&
      rests &&
      now.last_end?.state === 'complete' &&
      mayHandBack(now.checks, checks.retries, { commit, fingerprint });
    if (!hands) return { body: { ...ended, fingerprint } };
    const task_id = randomUUID();
    const dirty = journal.git()?.dirty === true;
    const message = handBackMessage({ commit, checks: checks.all, results, dirty });
    return {
      body: { ...ended, fingerprint, task_id },
      more: [{ kind: 'task.accepted', task_id, message, source: 'agent', front: false }],
    };
  }
}
