import {
  noApproval,
  parseApprovalId,
  type Approval,
  type ApprovalAnswer,
} from '../../domain/approvals/approval.ts';
import type { AgentRecord } from '../../backends/backend.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';
import { actorOf, type Actor, type Caller } from '../../domain/principal.ts';
import type { Lookup } from '../context/lookup.ts';

/** Questions about calls of tools, which belong to no agent: the store's book of them. */
export interface CallApprovals {
  open(): readonly Approval[];
  find(id: string): Approval | undefined;
  answer(id: string, answer: ApprovalAnswer, by: Actor): void;
}

/** All questions that wait for a person, of agents and of tool calls, and the one way to answer them. */
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
      const { backend, agent } = await this.#lookup.host(agentName);
      return backend.approvals(agent);
    }
    const calls = this.#calls?.open() ?? [];
    const asking = (await this.#records(calls.length > 0)).filter(({ state }) => state.approvals.length > 0);
    const ofAgents = await Promise.all(
      asking.map(async (agent) => this.#lookup.backendOf(agent).approvals(agent)),
    );
    return [...ofAgents.flat(), ...calls].toSorted((a, b) => (a.asked_at < b.asked_at ? -1 : 1));
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

  /** Calls of tools wait in the store: they are listed also while no backend answers. */
  async #records(elseNone: boolean): Promise<readonly AgentRecord[]> {
    try {
      return (await this.#lookup.records()).records;
    } catch (thrown) {
      if (elseNone) return [];
      throw thrown;
    }
  }
}

/** Agents have no right to answer anything; this check is for all other callers. */
function checkNotAsker(asked_by: string, { principal }: Actor): void {
  if (asked_by !== principal) return;
  throw new FleetError(
    'FORBIDDEN',
    `The caller that asked cannot answer: ${quote(principal)} made this call.`,
    {
      reason: 'asked_by_you',
    },
  );
}
