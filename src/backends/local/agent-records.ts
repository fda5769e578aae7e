import { FleetError, storageError, toFleetError } from '../../domain/values/errors.ts';
import { PULL_REQUEST_URL_KEY } from '../../domain/metadata/metadata.ts';
import type { AgentState } from '../../domain/state.ts';
import type { Waiting } from '../../domain/status.ts';
import { NO_FIELDS } from '../../domain/metadata/taskfile-metadata.ts';
import { JournalReader } from '../../runner/journal/journal-reader.ts';
import { summaryOf } from '../../runner/journal/publisher.ts';
import { givenSpec } from '../../domain/launch.ts';
import type { AgentDetails, AgentRecord } from '../backend.ts';
import { waitingToStart } from './records/admission.ts';
import type { AgentRow } from './records/agent-rows.ts';
import { needsRepair, repair } from './records/with-owned-journal.ts';
import { noteDamage } from './records/check-journal.ts';
import type { LocalContext } from './records/local-context.ts';
import { pullRequestBeforeJournal, stateBeforeJournal, type Origin } from './records/origin.ts';
import { agentPaths } from './records/paths.ts';
import { lenderProblem } from './lender/lender-problem.ts';

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
      return {
        ...agent,
        ...specOf(known),
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
    if (reader === undefined) {
      return {
        ...agent,
        ...specOf(origin),
        fields: {},
        metadata: agent.pull_request === null ? {} : { [PULL_REQUEST_URL_KEY]: agent.pull_request.url },
        ...(origin === undefined || agent.state.phase === 'failed'
          ? {}
          : { state: withTombstone(stateBeforeJournal(origin), row) }),
      };
    }
    const state = reader.state();
    // The record has the reason why the journal could not be repaired.
    const shown = agent.state.phase === 'failed' && state.phase !== 'failed' ? agent.state : state;
    return {
      ...agent,
      state: withTombstone(shown, row),
      ...specOf(origin),
      metadata: reader.metadata(),
      fields: reader.fields(),
      refused_writes: reader.refusedWrites(),
      listed: reader.listed(),
      // The record is from before the runner was asked to look again.
      git: reader.git(),
      ...workspaceProblem(origin, shown),
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
      throw storageError('journal_corrupt', journal);
    return undefined;
  }

  /** The reason why an agent cannot be repaired is reported for that agent, and does not hide the others. */
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
    if (origin === undefined) throw new FleetError('NOT_FOUND', `The agent "${row.name}" no longer exists.`);
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

/** An agent that failed for it says so already. */
function workspaceProblem(origin: Origin | undefined, state: AgentState): { readonly problem?: string } {
  const { repository, clone } = origin?.plan ?? {};
  if (repository === undefined || clone === undefined) return {};
  const problem = lenderProblem(repository, clone.lender);
  return problem === undefined || state.phase_reason.includes(problem) ? {} : { problem };
}

interface Look {
  readonly places: ReadonlyMap<string, Waiting>;
  /** Why the agent could not be repaired. */
  readonly problem?: FleetError;
}

/** An agent whose journal cannot be used: derived again by each look, so that the agent recovers when its files do. */
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

/** A tombstone is a fact of the store: it is there before the journal has it, and until nothing is left. */
function withTombstone(state: AgentState, row: AgentRow | undefined): AgentState {
  if (row === undefined || row.tombstone === null) return state;
  return { ...state, phase: 'deleting', phase_reason: `deleted by ${row.tombstone.by.principal}` };
}

function specOf(origin: Origin | undefined): Pick<AgentDetails, 'spec' | 'given_spec'> {
  if (origin === undefined) return { spec: null };
  const given = givenSpec(origin.launch);
  return { spec: origin.launch.spec, ...(given === '' ? {} : { given_spec: given }) };
}
