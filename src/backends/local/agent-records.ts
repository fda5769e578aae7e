import { FleetError } from '../../domain/errors.ts';
import { PULL_REQUEST_URL_KEY } from '../../domain/metadata.ts';
import type { AgentState } from '../../domain/state.ts';
import type { Waiting } from '../../domain/status.ts';
import { JournalReader } from '../../runner/journal-reader.ts';
import { summaryOf } from '../../runner/publisher.ts';
import type { AgentDetails, AgentRecord } from '../backend.ts';
import { waitingToStart } from './admission.ts';
import type { AgentRow } from './agent-rows.ts';
import { needsRepair, repair } from './attend.ts';
import type { LocalContext } from './local-context.ts';
import { pullRequestBeforeJournal, stateBeforeJournal, type Origin } from './origin.ts';
import { agentPaths } from './paths.ts';

/** Agents as the rest of the fleet sees them, made from rows and journals. */
export class AgentRecords {
  readonly #context: LocalContext;

  constructor(context: LocalContext) {
    this.#context = context;
  }

  async all(): Promise<readonly AgentRecord[]> {
    const { rows, store } = this.#context;
    const places = waitingToStart(store);
    const first = rows.all();
    const broken = first.filter(needsRepair);
    await Promise.all(broken.map((row) => repair(this.#context, row)));
    return (broken.length === 0 ? first : rows.all()).map((row) => this.#record(row, places));
  }

  /** The record of a row, after a dead runner's leftovers are swept. */
  async of(row: AgentRow): Promise<AgentRecord> {
    if (needsRepair(row)) await repair(this.#context, row);
    return this.#record(
      this.#context.rows.byId(row.workspace_id) ?? row,
      waitingToStart(this.#context.store),
    );
  }

  details(agent: AgentRecord): AgentDetails {
    using reader = this.reader(agent);
    const origin = this.#context.rows.origin(agent.workspace_id) ?? (reader?.origin() as Origin | undefined);
    const row = this.#context.rows.byId(agent.workspace_id);
    const spec = origin?.launch.spec ?? null;
    if (reader === undefined) {
      return {
        ...agent,
        spec,
        metadata: agent.pull_request === null ? {} : { [PULL_REQUEST_URL_KEY]: agent.pull_request.url },
        ...(origin === undefined ? {} : { state: withTombstone(stateBeforeJournal(origin), row) }),
      };
    }
    return { ...agent, state: withTombstone(reader.state(), row), spec, metadata: reader.metadata() };
  }

  reader(agent: { readonly workspace_id: string }): JournalReader | undefined {
    const reader = JournalReader.open(agentPaths(this.#context.home, agent.workspace_id).journal);
    if (reader === undefined || reader.state().seq > 0) return reader;
    // Only just made: what was accepted is not in it yet.
    reader[Symbol.dispose]();
    return undefined;
  }

  #record(row: AgentRow, places: ReadonlyMap<string, Waiting>): AgentRecord {
    const summary = (row.unpublished ? null : row.summary) ?? this.#summaryFromJournal(row);
    const waiting = places.get(row.workspace_id);
    return {
      name: row.name,
      workspace_id: row.workspace_id,
      project: row.project,
      role: row.role,
      backend: 'local',
      created_at: row.created_at,
      created_by: row.created_by,
      state: withTombstone(summary.state, row),
      observed: {
        ...(waiting === undefined ? {} : { waiting }),
        ...(row.unreachable_since === null ? {} : { unreachable_since: row.unreachable_since }),
        ...(summary.progress === null ? {} : { progress: summary.progress }),
      },
      git: summary.git,
      pull_request: summary.pull_request,
    };
  }

  /** The summary is a convenience: what it says can always be read from the journal, or from what was accepted. */
  #summaryFromJournal(row: AgentRow): NonNullable<AgentRow['summary']> {
    using reader = this.reader(row);
    if (reader !== undefined) {
      const { progress, ...summary } = summaryOf(reader);
      return { ...summary, progress: progress ?? null };
    }
    const origin = this.#context.rows.origin(row.workspace_id);
    if (origin === undefined) throw new FleetError('NOT_FOUND', `There is no agent "${row.name}" any more.`);
    return {
      state: stateBeforeJournal(origin),
      progress: null,
      git: null,
      pull_request: pullRequestBeforeJournal(origin),
    };
  }
}

/** A tombstone is a fact of the store: it stands before the journal hears of it, and until nothing is left. */
function withTombstone(state: AgentState, row: AgentRow | undefined): AgentState {
  if (row === undefined || row.tombstone === null) return state;
  return { ...state, phase: 'deleting', phase_reason: `deleted by ${row.tombstone.by.principal}` };
}
