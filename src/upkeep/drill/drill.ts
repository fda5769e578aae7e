import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentRow } from '../../backends/local/records/agent-rows.ts';
import { FleetError } from '../../domain/values/errors.ts';
import type { Caller } from '../../domain/principal.ts';
import { openFleet, type OpenedFleet } from '../../fleet/open-fleet.ts';
import { invoke } from '../../operations/invoke.ts';
import { findOperation } from '../../operations/table.ts';
import { JournalReader } from '../../runner/journal/journal-reader.ts';
import { PROJECT, type DrillPlace } from './drill-place.ts';
import { DrillServer, type Answer } from './drill-server.ts';
import { emptyNotebook, type Notebook } from './evidence.ts';

const MAX_WAIT_MS = 30_000;

/** The process that runs an operation: this process, or the server that is going to be killed. */
export type Through = 'here' | 'server';

export interface TaskWish {
  readonly mark: string;
  /** Ends when this is released; at once without it. */
  readonly hold?: string;
  /** Shell commands. */
  readonly work?: string;
}

/** A fleet in a place of its own, with what is needed to use it, to look at it, and to write down what was seen. */
export class Drill implements AsyncDisposable {
  readonly place: DrillPlace;
  readonly notebook: Notebook = emptyNotebook();
  readonly #caller: Caller;
  readonly #signal: AbortSignal;
  #opened: OpenedFleet;
  #server: Promise<DrillServer> | undefined;

  constructor(
    place: DrillPlace,
    { caller, signal }: { readonly caller: Caller; readonly signal: AbortSignal },
  ) {
    this.place = place;
    this.#caller = caller;
    this.#signal = signal;
    this.#opened = openFleet({ env: place.env, cwd: place.directory });
  }

  async ask(name: string, input: Answer, through: Through = 'here'): Promise<Answer> {
    this.#signal.throwIfAborted();
    const operation = findOperation(name);
    if (operation === undefined) throw new Error(`there is no operation ${name}`);
    if (through === 'server') return await (await this.#running()).call(operation, input);
    return { ...(await invoke(operation, input, { fleet: this.#opened.fleet, caller: this.#caller })) };
  }

  /** As a process does that is only just started. */
  async reopen(): Promise<void> {
    await this.#opened[Symbol.asyncDispose]();
    this.#opened = openFleet({ env: this.place.env, cwd: this.place.directory });
  }

  /** The agents that there are, in order. */
  async names(): Promise<readonly string[]> {
    const { agents } = await this.ask('list_agents', {});
    return (Array.isArray(agents) ? agents : []).map((agent) => String(fieldOf(agent, 'name')));
  }

  async killServer(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await (await server)?.kill();
  }

  async startServer(): Promise<void> {
    await this.#running();
  }

  /** Creates an agent; its first task is noted as accepted. */
  async create(name: string, wish: TaskWish, through: Through = 'server'): Promise<void> {
    await this.ask('create_agent', { project: PROJECT, name, task: this.#script(wish) }, through);
    const first = (await this.tasks(name)).at(-1);
    this.notebook.accepted.push({ agent_name: name, task_id: first?.id ?? 'none', mark: wish.mark });
  }

  /** Gives a task and notes it as accepted; returns its id. */
  async give(
    agent_name: string,
    wish: TaskWish,
    options: { readonly through?: Through; readonly input?: Answer } = {},
  ) {
    const input = { agent_name, task_description: this.#script(wish), ...options.input };
    const answer = await this.ask('start_agent_task', input, options.through ?? 'here');
    const task_id = idOfTask(answer);
    if (!this.notebook.accepted.some((task) => task.task_id === task_id))
      this.notebook.accepted.push({ agent_name, task_id, mark: wish.mark });
    return task_id;
  }

  /** Waits until the program of a task has begun. */
  async began(mark: string): Promise<void> {
    await this.until(`${mark} has begun`, async () => this.place.startedMarks().includes(mark));
  }

  async idle(...names: string[]): Promise<void> {
    const answer = await this.ask('wait_for_agents', {
      agent_names: names.join(','),
      timeout_seconds: MAX_WAIT_MS / 1000,
    });
    if (answer['timed_out'] === true) throw new Error(`${names.join(', ')} did not become idle in time`);
  }

  async until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + MAX_WAIT_MS;
    while (!(await holds())) {
      if (performance.now() > end) throw new Error(`it did not happen in time that ${what}`);
      await delay(20, undefined, { signal: this.#signal });
    }
  }

  row(name: string): AgentRow {
    const row = this.place.rows().find((each) => each.name === name);
    if (row === undefined) throw new Error(`there is no agent ${name}`);
    return row;
  }

  async statusOf(name: string): Promise<string> {
    const { agent } = await this.ask('show_agent', { agent_name: name });
    return String(fieldOf(agent, 'status'));
  }

  async stateOf(agentName: string, taskId: string): Promise<string> {
    return (await this.tasks(agentName)).find(({ id }) => id === taskId)?.state ?? 'not in the history';
  }

  /** The whole history of an agent, newest first. */
  async tasks(name: string): Promise<readonly { readonly id: string; readonly state: string }[]> {
    const found: { id: string; state: string }[] = [];
    for (let page = 1; ; page++) {
      const answer = await this.ask('show_agent_task_history', { agent_name: name, page, page_size: 100 });
      const rows = Array.isArray(answer['tasks']) ? answer['tasks'] : [];
      for (const row of rows)
        found.push({ id: String(fieldOf(row, 'id')), state: String(fieldOf(row, 'state')) });
      if (answer['has_next_page'] !== true) return found;
    }
  }

  /** Deletes an agent and notes its history and its journal; returns the branch on which its work was kept. */
  async retire(name: string): Promise<string | null> {
    const { workspace_id } = this.row(name);
    const history = (await this.tasks(name)).map(({ id }) => id);
    const { kept } = await this.ask('delete_agent', { agent_name: name });
    using journal = JournalReader.open(join(this.place.home, 'archive', workspace_id, 'journal.db'));
    this.notebook.agents.push({ name, history, facts: journal?.facts().map(({ body }) => body) ?? [] });
    return typeof kept === 'string' ? kept : null;
  }

  /** Notes the agents that are still there as they are, when the drill cannot go on. */
  async noteTheRest(): Promise<void> {
    for (const { name } of this.place.rows()) {
      const { facts } = await this.#opened.fleet.facts(name);
      const history = (await this.tasks(name)).map(({ id }) => id);
      this.notebook.agents.push({ name, history, facts: facts.map(({ body }) => body) });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.killServer();
    await this.#opened[Symbol.asyncDispose]();
  }

  /** However many ask at once, one is started. */
  #running(): Promise<DrillServer> {
    return (this.#server ??= DrillServer.start(this.place.env, this.place.directory));
  }

  #script({ mark, ...rest }: TaskWish): string {
    return this.place.script(mark, rest);
  }
}

/** How a call ended: `ok`, or the code of its error. */
export function outcomeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'ok',
    (thrown: unknown) => (thrown instanceof FleetError ? thrown.code : String(thrown)),
  );
}

export function idOfTask({ task }: Answer): string {
  return String(fieldOf(task, 'id'));
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
