import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPEN_ACCOUNT } from './installs/open-account.ts';
import type { Change } from '../../src/domain/changes.ts';
import type { Actor } from '../../src/domain/principal.ts';
import type { AgentState } from '../../src/domain/state.ts';
import { deriveStatus, type Instant } from '../../src/domain/status.ts';
import type { DriverContext, TaskOutcome } from '../../src/runner/programs/driver.ts';
import { Journal } from '../../src/runner/journal/journal.ts';
import type { RunnerParts } from '../../src/runner/runner-parts.ts';
import { Runner } from '../../src/runner/runner.ts';
import { FREE_TURN } from '../../src/runner/workspace.ts';
import { LAUNCH } from './fleets/launch.ts';

/** Who asks on a bench. */
export const BENCH_ACTOR: Actor = { principal: 'user:tester', door: 'cli' };

/** One task in the hands of the test: it ends when the test says so, or when it is interrupted. */
interface Turn {
  readonly message: string;
  readonly signal: AbortSignal;
  end(outcome?: TaskOutcome): void;
}

/** A runner in this process with a clock and an agent that the test moves by hand. */
export class RunnerBench implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'fleet-runner-'));
  readonly turns: Turn[] = [];
  readonly changes: Change[] = [];
  now: Instant = { at: 1_800_000_000_000, awake_ms: 1_000_000, boot: 'boot' };
  readonly journal = new Journal(join(this.directory, 'journal.db'), { now: () => this.now });
  context: DriverContext | undefined;
  published: AgentState | undefined;
  #runner: Runner | undefined;
  #done: Promise<void> | undefined;

  /** Answers when the agent is ready. */
  async start(parts: Partial<RunnerParts> = {}): Promise<Runner> {
    this.journal.append(BENCH_ACTOR, {
      kind: 'agent.created',
      name: 'sony',
      project: 'Setup',
      role: 'coder',
      stuck_after_ms: LAUNCH.stuck_after_ms,
    });
    const runner = new Runner({
      journal: this.journal,
      launch: { ...LAUNCH, agent: 'test' },
      version: 'test',
      driver: { kind: 'test', open: async (context) => this.#open(context) },
      workspace: {
        directory: this.directory,
        setsUp: () => false,
        prepare: async () => ({ branch: null, base: null }),
        git: async () => null,
      },
      admission: { enter: async () => FREE_TURN },
      publisher: {
        published: () => this.published,
        publish: ({ state }, changes) => {
          this.published = state;
          this.changes.push(...changes);
          return true;
        },
      },
      clock: { now: () => this.now },
      env: {},
      cell: null,
      servers: [],
      account: OPEN_ACCOUNT,
      lookedAt: () => 0,
      ...parts,
    });
    const ready = Promise.withResolvers<void>();
    this.journal.onFact(({ body }) => {
      if (body.kind === 'agent.ready') ready.resolve();
    });
    runner.begin();
    this.#runner = runner;
    this.#done = runner.run();
    await ready.promise;
    return runner;
  }

  pass(ms: number, wall_ms = ms): void {
    this.now = { ...this.now, at: this.now.at + wall_ms, awake_ms: this.now.awake_ms + ms };
  }

  view() {
    const progress = this.journal.progress();
    return deriveStatus(this.journal.state(), progress === undefined ? {} : { progress }, this.now);
  }

  ended(): Promise<void> {
    return this.#done ?? Promise.resolve();
  }

  states(): string[] {
    return this.journal.history({ page: 1, page_size: 100 }).rows.map(({ state }) => state);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#runner?.end('delete', BENCH_ACTOR);
    } catch {
      // It was asked to end before.
    }
    await this.#done;
    this.journal[Symbol.dispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }

  #open(context: DriverContext) {
    this.context = context;
    return {
      run: ({ message }: { message: string }, signal: AbortSignal) => {
        const { promise, resolve } = Promise.withResolvers<TaskOutcome>();
        const end = (outcome: TaskOutcome = { state: 'complete', reason: 'done' }): void => resolve(outcome);
        signal.addEventListener('abort', () => end({ state: 'failed', reason: 'interrupted' }));
        this.turns.push({ message, signal, end });
        return promise;
      },
      [Symbol.asyncDispose]: async () => {},
    };
  }
}
