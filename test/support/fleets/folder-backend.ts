import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { OPEN_ACCOUNT } from '../installs/open-account.ts';
import type {
  AgentDetails,
  AgentRecord,
  Backend,
  CreateRequest,
  DeleteOptions,
} from '../../../src/backends/backend.ts';
import type { BackendUpkeep } from '../../../src/backends/backend-upkeep.ts';
import type { BackendKind } from '../../../src/backends/backend-kind.ts';
import { NOTHING } from '../../../src/backends/gc-part.ts';
import { FleetError } from '../../../src/domain/values/errors.ts';
import type { Page } from '../../../src/domain/values/paging.ts';
import { actorOf, type Actor, type Caller } from '../../../src/domain/principal.ts';
import type { Project, Role } from '../../../src/domain/project.ts';
import { pullRequestOf } from '../../../src/domain/metadata/pull-request.ts';
import type { LogRequest, ReportState } from '../../../src/domain/task.ts';
import { openFleet, type OpenedFleet } from '../../../src/fleet/open-fleet.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { Journal } from '../../../src/runner/journal/journal.ts';
import type { Publisher } from '../../../src/runner/journal/publisher.ts';
import type { EndKind } from '../../../src/runner/runner-parts.ts';
import { Runner } from '../../../src/runner/runner.ts';
import { FREE_TURN } from '../../../src/runner/workspace.ts';
import type { RunnerClient } from '../../../src/runner/api/runner-client.ts';
import { TaskCommands } from '../../../src/runner/task-commands.ts';
import type { ConversationRequest } from '../../../src/domain/conversation/conversation-page.ts';
import { readConversation } from '../../../src/runner/journal/read-conversation.ts';
import { EventLog } from '../../../src/store/event-log.ts';
import type { FleetUnderTest } from './fleet-under-test.ts';
import { scriptedDriver } from './scripted-driver.ts';

interface Cell {
  readonly request: CreateRequest;
  readonly created_at: string;
  readonly directory: string;
  readonly journal: Journal;
  live: { readonly runner: Runner; readonly done: Promise<void> } | undefined;
}

/** Another backend: a folder for each agent, its runner in this process, no git and no store of agents. */
class FolderBackend implements Backend {
  readonly name = 'folder';
  readonly pace_ms = 1_000;
  readonly #root: string;
  readonly #cells = new Map<string, Cell>();
  readonly #events: EventLog;
  readonly upkeep: BackendUpkeep;

  constructor(root: string, events: EventLog) {
    this.#root = root;
    this.#events = events;
    this.upkeep = {
      repair: async () => [],
      expire: async () => {},
      garbage: async () => [
        {
          name: 'folders',
          title: 'folders of agents',
          find: () => ({ all: { count: this.#cells.size, bytes: 0 }, old: NOTHING, remove: () => {} }),
        },
      ],
    };
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
      spec: request.spec ?? request.task,
      metadata: journal.metadata(),
      fields: journal.fields(),
    };
  };

  history = async (agent: AgentRecord, page: Page) => ({
    ...this.#cell(agent).journal.history(page),
    as_of: now(),
  });
  conversation = async (agent: AgentRecord, request: ConversationRequest) =>
    readConversation(this.#cell(agent).journal, request);
  log = async (agent: AgentRecord, request: LogRequest) => ({
    ...this.#cell(agent).journal.log(request),
    as_of: now(),
  });
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
    new TaskCommands(cell.journal).cancelQueue(by);
    this.#cells.delete(agent.name.toLowerCase());
    const seq = cell.journal.state().seq + 1;
    this.#events.add(cell.request, [{ seq, at: now(), kind: 'agent.deleted', data: {} }]);
    cell.journal[Symbol.dispose]();
    rmSync(cell.directory, { recursive: true, force: true });
    return { kept: [], notes: [], gone: true };
  }

  runner(agent: AgentRecord): RunnerClient {
    const cell = this.#cell(agent);
    const commands = new TaskCommands(cell.journal);
    return {
      accept: (request) => {
        const { phase } = cell.journal.state();
        return phase === 'ready' || phase === 'pending' || phase === 'starting'
          ? this.#awake(cell).accept(request)
          : Promise.resolve().then(() => ({ task: commands.accept(request), state: cell.journal.state() }));
      },
      cancel: (request) => this.#awake(cell).cancel(request),
      report: (request) => this.#awake(cell).report(request),
      setMetadata: async ({ key, value, by }) => commands.setMetadata(key, value, by),
      acknowledge: async ({ by }) => commands.acknowledge(by),
      answer: (request) => this.#awake(cell).answer(request),
    };
  }

  changed = (timeout_ms: number, signal: AbortSignal): Promise<void> =>
    delay(Math.min(timeout_ms, 20), undefined, { signal });

  async keep(): Promise<void> {}

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
      workspace: {
        directory,
        setsUp: () => false,
        prepare: async () => ({ branch: null, base: null }),
        git: async () => null,
      },
      admission: { enter: async () => FREE_TURN },
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
        this.#events.add(cell.request, changes);
        return true;
      },
    };
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

/** All that the table of backends needs to know of it. */
export const folderKind: BackendKind = {
  open: ({ home }, { store }) => {
    const backend = new FolderBackend(join(home, 'folders'), new EventLog(store));
    return { backends: async () => [backend] };
  },
};

/** A fleet on the other backend with another driver. */
export function folderFleet(): FleetUnderTest & { readonly opened: OpenedFleet } {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-folder-'));
  const env = { FLEET_HOME: join(directory, 'home') };
  const opened = openFleet({ env, cwd: directory }, { folder: folderKind });
  return {
    opened,
    fleet: opened.fleet,
    directory,
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function launchOf({ name, workspace_id, project, role, spec, task }: CreateRequest) {
  return {
    name,
    workspace_id,
    project: project.name,
    role: role.name,
    spec: spec ?? task,
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
