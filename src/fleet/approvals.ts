import { noApproval, parseApprovalId, type Approval, type ApprovalAnswer } from '../domain/approval.ts';
import { FleetError, quote } from '../domain/errors.ts';
import { actorOf, type Actor, type Caller } from '../domain/principal.ts';
import type { Lookup } from './lookup.ts';

/** Questions about calls of tools, which belong to no agent: the store's book of them. */
export interface CallApprovals {
  open(): readonly Approval[];
  find(id: string): Approval | undefined;
  answer(id: string, answer: ApprovalAnswer, by: Actor): void;
}

/** All questions that wait for a person, whoever asks, and the one way to answer them. */
export class Approvals {
  readonly #lookup: Lookup;
  readonly #calls: CallApprovals | undefined;

  constructor(lookup: Lookup, calls: CallApprovals | undefined) {
    this.#lookup = lookup;
    this.#calls = calls;
  }

  /** Oldest first; of one agent when it is named. */
  async list(agentName: string | undefined): Promise<readonly Approval[]> {
    if (agentName !== undefined) {
      const { backend, agent } = await this.#lookup.find(agentName);
      return backend.approvals(agent);
    }
    const { records } = await this.#lookup.records();
    const asking = records.filter(({ state }) => state.approvals.length > 0);
    const ofAgents = await Promise.all(
      asking.map(async (agent) => this.#lookup.backendOf(agent).approvals(agent)),
    );
    return [...ofAgents.flat(), ...(this.#calls?.open() ?? [])].toSorted((a, b) =>
      a.asked_at < b.asked_at ? -1 : 1,
    );
  }

  async respond(id: string, answer: ApprovalAnswer, caller: Caller): Promise<void> {
    const by = actorOf(caller);
    const call = this.#calls?.find(id);
    if (call !== undefined) {
      checkNotAsker(call.asked_by, by);
      return this.#calls?.answer(id, answer, by);
    }
    const { workspace } = parseApprovalId(id) ?? {};
    if (workspace === undefined) throw noApproval(id);
    const { records } = await this.#lookup.records();
    const agent = records.find(({ workspace_id }) => workspace_id.startsWith(workspace));
    if (agent === undefined) throw noApproval(id);
    checkNotAsker(`agent:${agent.name}`, by);
    await this.#lookup.backendOf(agent).runner(agent).answer({ approval_id: id, answer, by });
  }
}

/** Agents have no right to answer anything; this holds for whoever else asks. */
function checkNotAsker(asked_by: string, { principal }: Actor): void {
  if (asked_by !== principal) return;
  throw new FleetError('FORBIDDEN', `Who asked cannot answer: ${quote(principal)} made this call itself.`, {
    reason: 'asked_by_you',
  });
}
