import { FleetError, groundError, toFleetError } from '../../domain/errors.ts';
import { PULL_REQUEST_URL_KEY } from '../../domain/metadata.ts';
import type { AgentState } from '../../domain/state.ts';
import type { Waiting } from '../../domain/status.ts';
import { NO_FIELDS } from '../../domain/taskfile-metadata.ts';
import { JournalReader } from '../../runner/journal-reader.ts';
import { summaryOf } from '../../runner/publisher.ts';
import type { AgentDetails, AgentRecord } from '../backend.ts';
import { waitingToStart } from './admission.ts';
import type { AgentRow } from './agent-rows.ts';
import { needsRepair, repair } from './attend.ts';
import { noteDamage } from './check-journal.ts';
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
    const problems = new Map<string, FleetError>();
    await Promise.all(
      broken.map(async (row) => {
        const problem = await this.#repair(row);
        if (problem !== undefined) problems.set(row.workspace_id, problem);
      }),
    );
    return (broken.length === 0 ? first : rows.all()).flatMap((row) => {
      const problem = problems.get(row.workspace_id);
      return this.#recordIfThere(row, { places, ...(problem === undefined ? {} : { problem }) });
    });
  }

  /** The record of a row, after a dead runner's leftovers are swept. */
  async of(row: AgentRow): Promise<AgentRecord> {
    const problem = needsRepair(row) ? await this.#repair(row) : undefined;
    return this.#record(this.#context.rows.byId(row.workspace_id) ?? row, {
      places: waitingToStart(this.#context.store),
      ...(problem === undefined ? {} : { problem }),
    });
  }

  details(agent: AgentRecord): AgentDetails {
    const known = this.#context.rows.origin(agent.workspace_id);
    try {
      return this.read(agent, (reader) => this.#detailsFrom(agent, reader));
    } catch (thrown) {
      const spec = known?.launch.spec ?? null;
      return {
        ...agent,
        spec,
        metadata: {},
        fields: {},
        state: failedState(agent.state, toFleetError(thrown)),
      };
    }
  }

  /** Reads the agent's journal; without one while nothing of it is written yet. */
  read<Result>(
    agent: { readonly workspace_id: string },
    work: (reader: JournalReader | undefined) => Result,
  ): Result {
    try {
      using reader = this.#reader(agent);
      return work(reader);
    } catch (thrown) {
      noteDamage(this.#context, agent.workspace_id, thrown);
      throw thrown;
    }
  }

  #detailsFrom(agent: AgentRecord, reader: JournalReader | undefined): AgentDetails {
    const origin = this.#context.rows.origin(agent.workspace_id) ?? (reader?.origin() as Origin | undefined);
    const row = this.#context.rows.byId(agent.workspace_id);
    const spec = origin?.launch.spec ?? null;
    if (reader === undefined) {
      return {
        ...agent,
        spec,
        fields: {},
        metadata: agent.pull_request === null ? {} : { [PULL_REQUEST_URL_KEY]: agent.pull_request.url },
        ...(origin === undefined || agent.state.phase === 'failed'
          ? {}
          : { state: withTombstone(stateBeforeJournal(origin), row) }),
      };
    }
    const state = reader.state();
    // What the record says beyond the journal is why the journal could not be mended.
    const shown = agent.state.phase === 'failed' && state.phase !== 'failed' ? agent.state : state;
    return {
      ...agent,
      state: withTombstone(shown, row),
      spec,
      metadata: reader.metadata(),
      fields: reader.fields(),
      listed: reader.listed(),
    };
  }

  #reader(agent: { readonly workspace_id: string }): JournalReader | undefined {
    const { journal } = agentPaths(this.#context.home, agent.workspace_id);
    const reader = JournalReader.open(journal);
    try {
      if (reader !== undefined && reader.state().seq > 0) return reader;
    } catch (thrown) {
      reader?.[Symbol.dispose]();
      throw thrown;
    }
    // Only just made: what was accepted is not in it yet.
    reader?.[Symbol.dispose]();
    const row = this.#context.rows.byId(agent.workspace_id);
    if (row?.tombstone === null && (row.summary?.state.seq ?? 0) > 0)
      throw groundError('journal_corrupt', journal);
    return undefined;
  }

  /** What keeps an agent from being mended is told of it, and keeps no other from being seen. */
  async #repair(row: AgentRow): Promise<FleetError | undefined> {
    try {
      await repair(this.#context, row);
      return undefined;
    } catch (thrown) {
      noteDamage(this.#context, row.workspace_id, thrown);
      return toFleetError(thrown);
    }
  }

  /** None for an agent that was deleted since it was listed. */
  #recordIfThere(row: AgentRow, look: Look): readonly AgentRecord[] {
    try {
      return [this.#record(row, look)];
    } catch (thrown) {
      if (thrown instanceof FleetError && thrown.code === 'NOT_FOUND') return [];
      throw thrown;
    }
  }

  #record(row: AgentRow, { places, problem }: Look): AgentRecord {
    const summary = (row.unpublished ? null : row.summary) ?? this.#summaryFromJournal(row);
    const waiting = places.get(row.workspace_id);
    const state = problem === undefined ? summary.state : failedState(summary.state, problem);
    return {
      name: row.name,
      workspace_id: row.workspace_id,
      project: row.project,
      role: row.role,
      backend: 'local',
      created_at: row.created_at,
      created_by: row.created_by,
      state: withTombstone(state, row),
      observed: {
        ...(waiting === undefined ? {} : { waiting }),
        ...(row.unreachable_since === null ? {} : { unreachable_since: row.unreachable_since }),
        ...(summary.progress === null ? {} : { progress: summary.progress }),
      },
      git: summary.git,
      pull_request: summary.pull_request,
      listed: summary.listed,
    };
  }

  /** The summary is a convenience: what it says can always be read from the journal, or from what was accepted. */
  #summaryFromJournal(row: AgentRow): NonNullable<AgentRow['summary']> {
    const origin = this.#context.rows.origin(row.workspace_id);
    if (origin === undefined) throw new FleetError('NOT_FOUND', `There is no agent "${row.name}" any more.`);
    const before = {
      state: stateBeforeJournal(origin),
      progress: null,
      git: null,
      pull_request: pullRequestBeforeJournal(origin),
      listed: NO_FIELDS,
    };
    try {
      return this.read(row, (reader) => {
        if (reader === undefined) return before;
        const { progress, ...summary } = summaryOf(reader);
        return { ...summary, progress: progress ?? null };
      });
    } catch (thrown) {
      return { ...before, state: failedState(before.state, toFleetError(thrown)) };
    }
  }
}

interface Look {
  readonly places: ReadonlyMap<string, Waiting>;
  /** Why the agent could not be mended. */
  readonly problem?: FleetError;
}

/** An agent whose journal cannot be used: derived anew by each look, so that it is well again when its ground is. */
function failedState(state: AgentState, { message }: FleetError): AgentState {
  return {
    ...state,
    phase: 'failed',
    phase_reason: message,
    running: null,
    approvals: [],
    attention: { reason: message, since: state.updated_at },
  };
}

/** A tombstone is a fact of the store: it stands before the journal hears of it, and until nothing is left. */
function withTombstone(state: AgentState, row: AgentRow | undefined): AgentState {
  if (row === undefined || row.tombstone === null) return state;
  return { ...state, phase: 'deleting', phase_reason: `deleted by ${row.tombstone.by.principal}` };
}
