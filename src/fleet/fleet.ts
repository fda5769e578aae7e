import type { AgentRecord, Backend } from '../backends/backend.ts';
import type { AgentListView, AgentView } from '../domain/agent.ts';
import { byName, checkAgentName } from '../domain/agent-name.ts';
import type { Clock } from '../domain/clock.ts';
import { FleetError } from '../domain/errors.ts';
import { checkMetadataKey, checkMetadataValue } from '../domain/metadata.ts';
import { pagingOf, type Page } from '../domain/paging.ts';
import { actorOf, type Caller } from '../domain/principal.ts';
import type { Project, Role } from '../domain/project.ts';
import { matchesPullRequest } from '../domain/pull-request.ts';
import { deriveStatus, type AgentStatus } from '../domain/status.ts';
import type { HistoryRow, ReportState, WhenBusy } from '../domain/task.ts';
import { listView, showView } from './agent-view.ts';
import { Approvals, type CallApprovals } from './approvals.ts';
import { chooseName } from './choose-name.ts';
import type { EventSource } from './event-source.ts';
import type { Ledger } from './ledger.ts';
import { Lookup, roleOf, sameText } from './lookup.ts';
import type { PullRequests } from './pull-requests.ts';
import { waitForAgents, type WaitRequest } from './wait-for-agents.ts';

export interface FleetParts {
  readonly backends: readonly Backend[];
  /** Backends that only the configuration knows of. */
  readonly more?: () => Promise<readonly Backend[]>;
  readonly clock: Clock;
  /** Absent inside an agent, where the fleet's store cannot be reached. */
  readonly ledger?: Ledger;
  readonly events?: EventSource;
  /** Where the fleet lives: two fleets make different ids from one idempotency key. */
  readonly place?: string;
  readonly calls?: CallApprovals;
  /** Absent inside an agent, which asks no forge. */
  readonly pullRequests?: PullRequests;
}

interface Making {
  readonly caller: Caller;
  makeId(part: string): string;
}

export interface CreateInput {
  readonly project: string;
  readonly task: string;
  readonly name?: string | undefined;
  readonly role?: string | undefined;
  readonly spec?: string | undefined;
  readonly base?: string | undefined;
  readonly branch?: string | undefined;
  readonly pull_request_url?: string | undefined;
}

const NAME_TRIES = 20;

/** The use cases over the backends. Holds no state: any number of these work side by side on one fleet. */
export class Fleet implements AsyncDisposable {
  readonly #lookup: Lookup;
  readonly #clock: Clock;
  readonly approvals: Approvals;
  readonly #pullRequests: PullRequests | undefined;
  readonly ledger: Ledger | undefined;
  readonly events: EventSource | undefined;
  readonly place: string;

  constructor(parts: FleetParts) {
    this.#lookup = new Lookup(parts.backends, parts.more);
    this.#clock = parts.clock;
    this.approvals = new Approvals(this.#lookup, parts.calls);
    this.#pullRequests = parts.pullRequests;
    this.ledger = parts.ledger;
    this.events = parts.events;
    this.place = parts.place ?? '';
  }

  async listAgents(filter: {
    status_filter?: AgentStatus | undefined;
    project_filter?: string | undefined;
    pull_request_filter?: string | number | undefined;
    page?: number | undefined;
    page_size?: number | undefined;
  }): Promise<{
    agents: AgentListView[];
    total_count: number;
    unavailable?: { backend: string; message: string }[];
  }> {
    const { records, unavailable } = await this.#records();
    const now = this.#clock.now();
    const agents = records
      .map((record) => listView(record, now).view)
      .filter(
        (agent) =>
          (filter.status_filter === undefined || agent.status === filter.status_filter) &&
          (filter.project_filter === undefined || sameText(agent.project, filter.project_filter)) &&
          (filter.pull_request_filter === undefined ||
            (agent.pull_request !== null &&
              matchesPullRequest(agent.pull_request, String(filter.pull_request_filter)))),
      )
      .toSorted(byName);
    const paged = filter.page !== undefined || filter.page_size !== undefined;
    const size = filter.page_size ?? 20;
    const start = ((filter.page ?? 1) - 1) * size;
    return {
      agents: paged ? agents.slice(start, start + size) : agents,
      total_count: agents.length,
      ...(unavailable.length > 0 ? { unavailable } : {}),
    };
  }

  async showAgent(name: string): Promise<AgentView> {
    const { backend, agent } = await this.#lookup.find(name);
    await Promise.all([backend.refresh(agent), this.#pullRequests?.refresh(agent)]);
    const details = await backend.details(agent);
    return showView(this.#pullRequests?.known([details])[0] ?? details, this.#clock.now());
  }

  async listProjects(): Promise<readonly Project[]> {
    return this.#lookup.projects();
  }

  async listRoles(projectName: string): Promise<{ project: Project; roles: readonly Role[] }> {
    const { backend, project } = await this.#lookup.project(projectName);
    return { project, roles: await backend.roles(project) };
  }

  async createAgent(input: CreateInput, { caller, makeId }: Making): Promise<AgentView> {
    if (input.name !== undefined) checkAgentName(input.name);
    if (input.spec !== undefined) (await import('../domain/spec.ts')).checkSpec(input.spec);
    const { backend, project } = await this.#lookup.project(input.project);
    const role = roleOf(await backend.roles(project), project, input.role);
    const request = {
      workspace_id: makeId('workspace'),
      task_id: makeId('task'),
      project,
      role,
      task: input.task,
      spec: input.spec ?? input.task,
      ...(input.base === undefined ? {} : { base: input.base }),
      ...(input.branch === undefined ? {} : { branch: input.branch }),
      ...(input.pull_request_url === undefined ? {} : { pull_request_url: input.pull_request_url }),
      caller,
    };
    for (let attempt = 1; ; attempt++) {
      const name =
        input.name ?? chooseName(new Set((await this.#lookup.records()).records.map((agent) => agent.name)));
      try {
        if (input.name !== undefined) await this.#lookup.checkFree(name, backend);
        return showView(await backend.create({ ...request, name }), this.#clock.now());
      } catch (thrown) {
        const lostRace = thrown instanceof FleetError && thrown.details.reason === 'name_taken';
        if (!lostRace || input.name !== undefined || attempt === NAME_TRIES) throw thrown;
      }
    }
  }

  async deleteAgent(
    input: { agent_name: string; discard_work: boolean },
    { caller, ...rest }: { caller: Caller; signal: AbortSignal; progress(message: string): void },
  ) {
    const { backend, agent } = await this.#lookup.find(input.agent_name);
    const { kept, notes, gone } = await backend.delete(agent, {
      discard_work: input.discard_work,
      by: actorOf(caller),
      ...rest,
    });
    const on = kept.length === 1 ? 'the branch' : 'the branches';
    const work = [...(kept.length === 0 ? [] : [`its work is kept on ${on} ${kept.join(', ')}`]), ...notes]
      .map((each) => `; ${each}`)
      .join('');
    return {
      agent_name: agent.name,
      workspace_id: agent.workspace_id,
      message: gone
        ? `Agent '${agent.name}' deleted successfully${work}`
        : `Agent '${agent.name}' is being deleted; this goes on${work}`,
      kept: kept[0] ?? null,
    };
  }

  async restartAgent(name: string, caller: Caller) {
    const { backend, agent } = await this.#lookup.find(name);
    const after = await backend.restart(agent, caller);
    return this.#lifecycle(after, `Agent '${agent.name}' restart initiated`);
  }

  async stopAgent(name: string, caller: Caller) {
    const { backend, agent } = await this.#lookup.find(name);
    const after = await backend.stop(agent, actorOf(caller));
    const { status } = deriveStatus(after.state, after.observed, this.#clock.now());
    const done = status === 'stopped' || status === 'canceled';
    return this.#lifecycle(
      after,
      done ? `Agent '${agent.name}' is ${status}` : `Agent '${agent.name}' is stopping`,
    );
  }

  async startTask(
    input: { agent_name: string; task_description: string; when_busy?: WhenBusy | undefined },
    { caller, makeId }: Making,
  ) {
    const forItself = caller.self !== undefined;
    if (forItself && input.when_busy !== undefined && input.when_busy !== 'queue') {
      throw new FleetError(
        'FORBIDDEN',
        'An agent can only queue a task for itself: leave out when_busy, or say "queue".',
        {
          field: 'when_busy',
        },
      );
    }
    const { backend, agent } = await this.#lookup.reach(input.agent_name);
    const { task, state } = await backend.runner(agent).accept({
      task_id: makeId('task'),
      message: input.task_description,
      when_busy: forItself ? 'queue' : (input.when_busy ?? 'reject'),
      source: caller.source,
      by: actorOf(caller),
    });
    return {
      agent_name: agent.name,
      task: briefTask(task),
      agent_status: deriveStatus(state, {}, this.#clock.now()).status,
      message:
        state.queue.includes(task.id) && state.queue.length + (state.running === null ? 0 : 1) > 1
          ? `Task queued for agent '${agent.name}'`
          : `Task assigned to agent '${agent.name}'`,
    };
  }

  async cancelTask(input: { agent_name: string; task_id?: string | undefined }, caller: Caller) {
    const { backend, agent } = await this.#lookup.reach(input.agent_name);
    const { task, interrupt_sent, state } = await backend.runner(agent).cancel({
      ...(input.task_id === undefined ? {} : { task_id: input.task_id }),
      by: actorOf(caller),
    });
    return {
      agent_name: agent.name,
      message: interrupt_sent
        ? `Interrupt signal sent to agent '${agent.name}'`
        : `Queued task ${task.id} of agent '${agent.name}' canceled`,
      interrupt_sent,
      task: briefTask(task),
      agent_status: deriveStatus(state, {}, this.#clock.now()).status,
    };
  }

  async history(name: string, page: Page) {
    const { backend, agent } = await this.#lookup.find(name);
    const { rows, total_count, as_of } = await backend.history(agent, page);
    return { name: agent.name, rows, ...pagingOf(page, total_count), as_of };
  }

  async log(name: string, page: Page) {
    const { backend, agent } = await this.#lookup.find(name);
    const { rows, total_count, as_of } = await backend.log(agent, page);
    return { name: agent.name, rows, ...pagingOf(page, total_count), as_of };
  }

  async facts(name: string) {
    const { backend, agent } = await this.#lookup.find(name);
    return { agent, facts: await backend.facts(agent) };
  }

  async waitForAgents(request: WaitRequest, rest: { signal: AbortSignal; progress(message: string): void }) {
    return waitForAgents(request, {
      ...rest,
      clock: this.#clock,
      cursor: () => this.events?.latest() ?? '0',
      covers: (cursor) => this.events?.covers(cursor) ?? true,
      agentsChangedSince: (cursor) => this.events?.agentsChangedSince(cursor) ?? new Set(),
      records: async () => (await this.#records()).records,
      changed: async (timeout, signal) => {
        const backends = await this.#lookup.backends();
        await Promise.race(backends.map((backend) => backend.changed(timeout, signal)));
      },
    });
  }

  async setMetadata(input: { agent_name: string; key: string; value: string | null }, caller: Caller) {
    const key = checkMetadataKey(input.key);
    const value = input.value === null ? null : checkMetadataValue(input.value);
    const { backend, agent } = await this.#lookup.find(input.agent_name);
    await backend.runner(agent).setMetadata({ key, value, by: actorOf(caller) });
    return { agent_name: agent.name, key, value };
  }

  async acknowledge(name: string, caller: Caller) {
    const { backend, agent } = await this.#lookup.find(name);
    await backend.runner(agent).acknowledge({ by: actorOf(caller) });
    return { agent_name: agent.name, message: `Agent '${agent.name}' acknowledged` };
  }

  async report(
    input: {
      agent_name?: string | undefined;
      message: string;
      uri?: string | undefined;
      state?: ReportState | undefined;
    },
    { caller, makeId }: Making,
  ) {
    const name = input.agent_name ?? caller.self?.agent_name;
    if (name === undefined) {
      throw new FleetError(
        'FORBIDDEN',
        'report_task is for an agent, about itself: call it from inside its task.',
      );
    }
    const { backend, agent } = await this.#lookup.find(name);
    const { recorded_at } = await backend.runner(agent).report({
      report_id: makeId('report'),
      message: input.message,
      uri: input.uri ?? null,
      state: input.state ?? 'working',
      by: actorOf(caller),
    });
    return { agent_name: agent.name, recorded_at };
  }

  /** All agents, with what forges said of them. */
  async #records() {
    const { records, unavailable } = await this.#lookup.records();
    return { records: this.#pullRequests?.known(records) ?? records, unavailable };
  }

  /** Asks forges of the pull requests of all agents, for a server. */
  async keepPullRequests(signal: AbortSignal): Promise<void> {
    if (this.#pullRequests === undefined) return;
    await this.#pullRequests.keep((await this.#lookup.records()).records, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const backend of this.#lookup.opened) await backend[Symbol.asyncDispose]();
  }

  #lifecycle(agent: AgentRecord, message: string) {
    const { status } = deriveStatus(agent.state, agent.observed, this.#clock.now());
    return { agent_name: agent.name, workspace_id: agent.workspace_id, status, message };
  }
}

function briefTask({ id, message, created_at, state }: HistoryRow) {
  return { id, message, created_at, state };
}
