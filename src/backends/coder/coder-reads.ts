import type { ConversationPage, ConversationRequest } from '../../domain/conversation/conversation-page.ts';
import { FleetError } from '../../domain/values/errors.ts';
import { METADATA_PREFIX } from '../../domain/metadata/metadata.ts';
import type { LogRequest } from '../../domain/task.ts';
import type { Page } from '../../domain/values/paging.ts';
import type { JournalReader } from '../../runner/journal/journal-reader.ts';
import { readConversation } from '../../runner/journal/read-conversation.ts';
import type { AgentDetails, AgentRecord, RowPage } from '../backend.ts';
import { agentMetadata } from './agent-metadata.ts';
import type { CoderContext } from './model/coder-context.ts';
import { firstTaskOf } from './model/coder-origin.ts';
import type { CoderRow } from './model/coder-rows.ts';
import type { WorkspaceRunner } from './model/workspace-runner.ts';
import type { Workspace } from './model/workspace-schema.ts';
import { mainAgent } from './model/workspace-state.ts';

/** What reads need of the backend. */
export interface ReadParts {
  readonly context: CoderContext;
  runner(agent: AgentRecord): WorkspaceRunner;
  workspace(agent: AgentRecord): Workspace;
  row(agent: AgentRecord): CoderRow;
  record(workspace: Workspace, row: CoderRow): AgentRecord;
}

/** Answers from the copy of an agent's journal, which a live runner brings up to date first. */
export class CoderReads {
  readonly #parts: ReadParts;
  /** What scripts of templates said last, by workspace. */
  readonly #told = new Map<string, Record<string, string>>();
  /** Versions of templates whose scripts say nothing of it. */
  readonly #silent = new Set<string>();

  constructor(parts: ReadParts) {
    this.#parts = parts;
  }

  /** One request to a live runner, which tells all that is new. */
  async refresh(agent: AgentRecord): Promise<void> {
    if (!isLive(agent)) return;
    // The runner is ending, does not answer, or has another version: what was received last is shown.
    await Promise.all([
      this.#parts
        .runner(agent)
        .refresh()
        .catch(() => {}),
      this.#hearTemplate(agent),
    ]);
  }

  details(agent: AgentRecord): AgentDetails {
    const row = this.#parts.row(agent);
    const record = this.#parts.record(this.#parts.workspace(agent), row);
    const heard = this.#read(agent, (reader) => ({
      metadata: reader.metadata(),
      fields: reader.fields(),
      state: wholeTexts(record, reader),
    }));
    return {
      ...record,
      spec: row.origin?.spec ?? null,
      ...(row.origin?.given_spec === undefined ? {} : { given_spec: row.origin.given_spec }),
      fields: heard?.fields ?? {},
      state: heard?.state ?? record.state,
      metadata: { ...this.#published(agent, row), ...heard?.metadata },
    };
  }

  async history(agent: AgentRecord, page: Page) {
    const { origin } = this.#parts.row(agent);
    return this.#page(agent, false, (reader) => {
      if (reader !== undefined) return reader.history(page);
      const first = origin === null ? undefined : firstTaskOf(origin);
      const rows = first === undefined ? [] : [first];
      return { rows: page.page === 1 ? rows : [], total_count: rows.length };
    });
  }

  async log(agent: AgentRecord, request: LogRequest) {
    return this.#page(agent, true, (reader) => reader?.log(request) ?? { rows: [], total_count: 0 });
  }

  async conversation(agent: AgentRecord, request: ConversationRequest): Promise<ConversationPage> {
    await this.hear(agent, true);
    const read = (reader?: JournalReader) => readConversation(reader, request);
    return this.#read(agent, read) ?? read();
  }

  async facts(agent: AgentRecord) {
    await this.hear(agent, false);
    return this.#read(agent, (reader) => reader.facts()) ?? [];
  }

  async approvals(agent: AgentRecord) {
    await this.hear(agent, false);
    return this.#read(agent, (reader) => reader.approvals(agent.name)) ?? [];
  }

  /** Hears what is new from a live runner; false when it could not be asked. */
  async hear(agent: AgentRecord, log: boolean): Promise<boolean> {
    if (!isLive(agent)) return false;
    try {
      await this.#parts.runner(agent).hear(log);
      return true;
    } catch (thrown) {
      // It will never answer this fleet: the error tells the caller what to do.
      if (thrown instanceof FleetError && thrown.details.reason === 'runner_signature') throw thrown;
      return false;
    }
  }

  async #page<Row>(
    agent: AgentRecord,
    log: boolean,
    read: (reader: JournalReader | undefined) => { rows: Row[]; total_count: number },
  ): Promise<RowPage<Row>> {
    const now = new Date(this.#parts.context.clock.now().at).toISOString();
    const heard = await this.hear(agent, log);
    const as_of = heard ? now : (this.#parts.row(agent).heard_at ?? now);
    return { ...(this.#read(agent, read) ?? read(undefined)), as_of };
  }

  #read<Result>(agent: AgentRecord, work: (reader: JournalReader) => Result): Result | undefined {
    return this.#parts.context.mirror.read(agent.workspace_id, work);
  }

  /** Asks for what scripts of the template say, unless they were seen to say nothing. */
  async #hearTemplate(agent: AgentRecord): Promise<void> {
    const workspace = this.#parts.workspace(agent);
    const { template_version_id: version } = workspace.latest_build;
    const main = mainAgent(workspace, this.#parts.row(agent).origin?.agentapi);
    if (main === undefined || this.#silent.has(version)) return;
    const said = await agentMetadata(this.#parts.context.client, main.id);
    if (said === null) this.#silent.add(version);
    else if (said !== undefined) this.#told.set(agent.workspace_id, said);
  }

  /** What the template publishes itself under the fleet's prefix. */
  #published(agent: AgentRecord, { origin }: CoderRow): Record<string, string> {
    const items = this.#parts
      .workspace(agent)
      .latest_build.resources.flatMap(({ metadata }) => metadata)
      .filter(({ key, sensitive }) => key.startsWith(METADATA_PREFIX) && !sensitive);
    const resources = Object.fromEntries(items.map(({ key, value }) => [key, value]));
    return { ...origin?.published, ...resources, ...this.#told.get(agent.workspace_id) };
  }
}

function isLive({ state, observed }: AgentRecord): boolean {
  return state.phase === 'ready' && observed.unreachable_since === undefined;
}

/** A list has texts cut; the copy of the journal has them whole. */
function wholeTexts({ state }: AgentRecord, reader: JournalReader): AgentRecord['state'] {
  const whole = reader.state();
  if (whole.seq < state.seq) return state;
  const message = whole.running?.message ?? state.running?.message ?? '';
  return {
    ...state,
    last_task: whole.last_task,
    last_end: whole.last_end,
    running: state.running === null ? null : { ...state.running, message },
  };
}
