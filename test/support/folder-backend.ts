import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { OPEN_ACCOUNT } from './open-account.ts';
import type {
  AgentDetails,
  AgentRecord,
  Backend,
  CreateRequest,
  DeleteOptions,
} from '../../src/backends/backend.ts';
import type { Change } from '../../src/domain/changes.ts';
import { FleetError } from '../../src/domain/errors.ts';
import type { FleetEvent } from '../../src/domain/fleet-event.ts';
import type { Page } from '../../src/domain/paging.ts';
import { actorOf, type Actor, type Caller } from '../../src/domain/principal.ts';
import type { Project, Role } from '../../src/domain/project.ts';
import { pullRequestOf } from '../../src/domain/pull-request.ts';
import type { ReportState } from '../../src/domain/task.ts';
import { Fleet } from '../../src/fleet/fleet.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { Journal } from '../../src/runner/journal.ts';
import type { Publisher } from '../../src/runner/publisher.ts';
import type { EndKind } from '../../src/runner/runner-parts.ts';
import { Runner } from '../../src/runner/runner.ts';
import type { RunnerClient } from '../../src/runner/runner-client.ts';
import { TaskDesk } from '../../src/runner/task-desk.ts';
import { CallLedger } from '../../src/store/call-ledger.ts';
import { Store } from '../../src/store/store.ts';
import type { FleetUnderTest } from './fleet-under-test.ts';
import { scriptedDriver } from './scripted-driver.ts';

interface Cell {
  readonly request: CreateRequest;
  readonly created_at: string;
  readonly directory: string;
  readonly journal: Journal;
  live: { readonly runner: Runner; readonly done: Promise<void> } | undefined;
}

/** A second backend: a folder for each agent, its runner in this process, no git and no store of agents. */
class FolderBackend implements Backend {
  readonly name = 'folder';
  readonly events: FleetEvent[] = [];
  readonly #root: string;
  readonly #cells = new Map<string, Cell>();

  constructor(root: string) {
    this.#root = root;
  }

  projects = async (): Promise<readonly Project[]> =>
    ['Setup', 'DataOne'].map((name) => ({
      id: `project-${name}`,
      name,
      display_name: name,
      description: name === 'Setup' ? 'Development container for coding tasks' : '',
      template_id: `project-${name}`,
      template_name: name,
      backend: this.name,
    }));

  roles = async (project: Project): Promise<readonly Role[]> =>
    ['scripted', 'coder', 'operator', 'manager'].map((name) => ({
      id: `${project.id}-${name}`,
      name,
      display_name: name,
      description: `The role ${name}`,
      project_id: project.id,
      default: name === 'scripted',
    }));

  list = async (): Promise<readonly AgentRecord[]> =>
    [...this.#cells.values()].map((cell) => this.#record(cell));

  find = async (name: string): Promise<AgentRecord | undefined> => {
    const cell = this.#cells.get(name.toLowerCase());
    return cell === undefined ? undefined : this.#record(cell);
  };

  refresh = async (agent: AgentRecord): Promise<void> =>
    this.#cell(agent).live?.runner.refresh({ older_than_ms: 2_000, within_ms: 3_000 });

  details = async (agent: AgentRecord): Promise<AgentDetails> => {
    const { request, journal } = this.#cell(agent);
    return {
      ...this.#record(this.#cell(agent)),
      spec: request.spec,
      metadata: journal.metadata(),
      fields: journal.fields(),
    };
  };

  history = async (agent: AgentRecord, page: Page) => ({
    ...this.#cell(agent).journal.history(page),
    as_of: now(),
  });
  log = async (agent: AgentRecord, page: Page) => ({ ...this.#cell(agent).journal.log(page), as_of: now() });
  approvals = async (agent: AgentRecord) => this.#cell(agent).journal.approvals(agent.name);
  facts = async (agent: AgentRecord) => this.#cell(agent).journal.facts();

  async create(request: CreateRequest): Promise<AgentDetails> {
    const key = request.name.toLowerCase();
    const known = this.#cells.get(key);
    if (known !== undefined && known.request.workspace_id !== request.workspace_id) {
      throw new FleetError('CONFLICT', `There is an agent "${request.name}" already.`, {
        field: 'name',
        reason: 'name_taken',
      });
    }
    if (known !== undefined) return this.details(this.#record(known));
    const directory = join(this.#root, request.workspace_id);
    mkdirSync(directory, { recursive: true });
    const journal = new Journal(join(directory, 'journal.db'), systemClock);
    const { name, project, role, task_id, task, caller } = request;
    journal.append(
      actorOf(caller),
      { kind: 'agent.created', name, project: project.name, role: role.name, stuck_after_ms: 900_000 },
      { kind: 'task.accepted', task_id, message: task, source: caller.source, front: false },
    );
    if (request.pull_request_url !== undefined) {
      journal.append(actorOf(caller), {
        kind: 'metadata.set',
        key: 'fleet_mcp_pull_request_url',
        value: request.pull_request_url,
      });
    }
    const cell: Cell = { request, created_at: now(), directory, journal, live: undefined };
    this.#cells.set(key, cell);
    this.#awake(cell);
    return this.details(this.#record(cell));
  }

  async stop(agent: AgentRecord, by: Actor): Promise<AgentRecord> {
    const cell = this.#cell(agent);
    if (cell.live === undefined)
      cell.journal.append(by, { kind: 'agent.stop_requested' }, { kind: 'agent.stopped' });
    else await this.#end(cell, 'stop', by);
    return this.#record(cell);
  }

  async restart(agent: AgentRecord, caller: Caller): Promise<AgentRecord> {
    const cell = this.#cell(agent);
    if (cell.live === undefined) cell.journal.append(actorOf(caller), { kind: 'agent.restart_requested' });
    else await this.#end(cell, 'restart', actorOf(caller));
    this.#awake(cell);
    return this.#record(cell);
  }

  async delete(agent: AgentRecord, { by }: DeleteOptions) {
    const cell = this.#cell(agent);
    if (cell.live !== undefined) await this.#end(cell, 'delete', by);
    new TaskDesk(cell.journal).cancelQueue(by);
    this.#cells.delete(agent.name.toLowerCase());
    this.#tell(cell, { seq: cell.journal.state().seq + 1, at: now(), kind: 'agent.deleted', data: {} });
    cell.journal[Symbol.dispose]();
    rmSync(cell.directory, { recursive: true, force: true });
    return { kept: [], notes: [], gone: true };
  }

  runner(agent: AgentRecord): RunnerClient {
    const cell = this.#cell(agent);
    const desk = new TaskDesk(cell.journal);
    return {
      accept: (request) => {
        const { phase } = cell.journal.state();
        return phase === 'ready' || phase === 'pending' || phase === 'starting'
          ? this.#awake(cell).accept(request)
          : Promise.resolve().then(() => ({ task: desk.accept(request), state: cell.journal.state() }));
      },
      cancel: (request) => this.#awake(cell).cancel(request),
      report: (request) => this.#awake(cell).report(request),
      setMetadata: async ({ key, value, by }) => desk.setMetadata(key, value, by),
      acknowledge: async ({ by }) => desk.acknowledge(by),
      answer: (request) => this.#awake(cell).answer(request),
    };
  }

  changed = (timeout_ms: number, signal: AbortSignal): Promise<void> =>
    delay(Math.min(timeout_ms, 20), undefined, { signal });

  async [Symbol.asyncDispose](): Promise<void> {
    for (const cell of this.#cells.values()) {
      if (cell.live !== undefined) await this.#end(cell, 'delete', { principal: 'user:tester', door: 'cli' });
      cell.journal[Symbol.dispose]();
    }
  }

  async #end(cell: Cell, kind: EndKind, by: Actor): Promise<void> {
    cell.live?.runner.end(kind, by);
    await cell.live?.done;
  }

  /** The runner of a cell, started when there is none. */
  #awake(cell: Cell): Runner {
    if (cell.live !== undefined) return cell.live.runner;
    const { request, journal, directory } = cell;
    const by: Actor = { principal: `agent:${request.name}`, door: 'self' };
    const runner = new Runner({
      journal,
      launch: launchOf(request),
      version: 'test',
      driver: scriptedDriver(() => ({
        report: async (message, uri, state) => {
          await runner.report({
            report_id: crypto.randomUUID(),
            message,
            uri,
            state: state as ReportState,
            by,
          });
        },
        queue: async (message) => {
          await runner.accept({
            task_id: crypto.randomUUID(),
            message,
            when_busy: 'queue',
            source: 'agent',
            by,
          });
        },
        setMetadata: (key, value) => runner.setMetadata({ key, value, by }),
      })),
      workspace: { directory, prepare: async () => ({ branch: null, base: null }), git: async () => null },
      admission: { enter: async () => ({ [Symbol.dispose]: () => {} }) },
      publisher: this.#publisher(cell),
      clock: systemClock,
      env: {},
      cell: null,
      servers: [],
      account: OPEN_ACCOUNT,
      lookedAt: () => 0,
    });
    runner.begin();
    const done = runner.run().finally(() => (cell.live = undefined));
    cell.live = { runner, done };
    return runner;
  }

  #publisher(cell: Cell): Publisher {
    let published: ReturnType<Publisher['published']>;
    return {
      published: () => published,
      publish: ({ state }, changes) => {
        published = state;
        for (const change of changes) this.#tell(cell, change);
      },
    };
  }

  #tell({ request }: Cell, { at, kind, data }: Change): void {
    this.events.push({
      cursor: String(this.events.length + 1),
      at,
      kind,
      agent_name: request.name,
      workspace_id: request.workspace_id,
      data,
    });
  }

  #cell(agent: AgentRecord): Cell {
    const cell = this.#cells.get(agent.name.toLowerCase());
    if (cell === undefined) throw new FleetError('NOT_FOUND', `There is no agent "${agent.name}".`);
    return cell;
  }

  #record({ request, created_at, journal }: Cell): AgentRecord {
    const progress = journal.progress();
    return {
      name: request.name,
      workspace_id: request.workspace_id,
      project: request.project.name,
      role: request.role.name,
      backend: this.name,
      created_at,
      created_by: actorOf(request.caller).principal,
      state: journal.state(),
      observed: progress === undefined ? {} : { progress },
      git: null,
      pull_request: pullRequestOf(journal.metadata()),
      listed: journal.listed(),
    };
  }
}

/** A fleet on the second backend with the second driver. */
export function folderFleet(): FleetUnderTest {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-folder-'));
  const backend = new FolderBackend(directory);
  const store = new Store(directory);
  const fleet = new Fleet({
    backends: [backend],
    clock: systemClock,
    ledger: new CallLedger(store),
    events: {
      latest: () => String(backend.events.length),
      covers: (cursor) => Number(cursor) <= backend.events.length,
      since: (cursor, limit) => backend.events.slice(Number(cursor), Number(cursor) + limit),
      agentsChangedSince: (cursor) =>
        new Set(backend.events.slice(Number(cursor)).map((event) => event.workspace_id)),
      changed: backend.changed,
    },
  });
  return {
    fleet,
    directory,
    [Symbol.asyncDispose]: async () => {
      await fleet[Symbol.asyncDispose]();
      store[Symbol.dispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function launchOf({ name, workspace_id, project, role, spec }: CreateRequest) {
  return {
    name,
    workspace_id,
    project: project.name,
    role: role.name,
    spec,
    created_at: now(),
    created_by: '',
    agent: 'scripted',
    command: [],
    system_prompt: null,
    model: null,
    env: {},
    on_crash: 'interrupt' as const,
    stuck_after_ms: 900_000,
    sleep_after_ms: 60_000,
  };
}

function now(): string {
  return new Date().toISOString();
}
