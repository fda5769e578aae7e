import { FleetError } from '../../../domain/values/errors.ts';
import type { MadeCheckpoint } from '../../../runner/workspace.ts';
import type { AgentRepository } from './agent-repository.ts';
import { checkpointsAt } from './checkpoints.ts';
import type { Look } from '../reading/look.ts';
import { refAt } from './take-over.ts';

const REFUSED_FOR_MS = 60_000;

/** The work of an agent as Fleet follows it: one thing at a time is done with its repository. */
export class AgentWork {
  readonly #repository: () => Promise<AgentRepository>;
  readonly #agentName: string;
  #turn: Promise<unknown> = Promise.resolve();
  #last: Look | undefined;
  #refused: { readonly tips: string; readonly until: number } | undefined;

  constructor(agentName: string, repository: () => Promise<AgentRepository>) {
    this.#agentName = agentName;
    this.#repository = repository;
  }

  /** Looks at the repository and takes over new commits; `complain` receives the reason when that fails. */
  look(complain: (problem: string) => void): Promise<Look> {
    return this.#next(async () => {
      this.#last = undefined;
      const repository = await this.#repository();
      const look = await repository.look();
      this.#last = look;
      await this.#takeOver(repository, look, complain);
      return look;
    });
  }

  /** Refused commits are not read again at each look. */
  async #takeOver(
    repository: AgentRepository,
    look: Look,
    complain: (problem: string) => void,
  ): Promise<void> {
    const tips = look.tips.map(({ commit }) => commit).join();
    if (this.#refused?.tips === tips && performance.now() < this.#refused.until) return;
    try {
      await repository.takeOver(look);
      this.#refused = undefined;
    } catch (thrown) {
      this.#refused = { tips, until: performance.now() + REFUSED_FOR_MS };
      complain(`the commits of agent ${this.#agentName} were not taken over: ${reasonOf(thrown)}`);
    }
  }

  /** What the agent's branch was when it was last taken over. */
  branchBefore(): Promise<string | null> {
    return this.#next(async () => {
      const { arrived } = await this.#repository();
      return refAt(arrived.repository, arrived.branch);
    });
  }

  /** Notes the state of the files at the end of a task. */
  checkpoint(taskId: string): Promise<MadeCheckpoint> {
    return this.#next(async () => {
      const repository = await this.#repository();
      const look = this.#last ?? (await repository.look());
      const made = await repository.checkpoint(
        `Checkpoint of agent ${this.#agentName}\n\nTask: ${taskId}`,
        look,
      );
      const { arrived } = repository;
      const { length: number } = await checkpointsAt(arrived.repository, arrived.checkpoints);
      return { number, ...made };
    });
  }

  #next<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = this.#turn.then(work, work);
    this.#turn = next.catch(() => {});
    return next;
  }
}

export function reasonOf(thrown: unknown): string {
  if (thrown instanceof FleetError) return thrown.message;
  return thrown instanceof Error ? thrown.message : String(thrown);
}
