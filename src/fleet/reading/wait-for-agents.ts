import type { AgentRecord } from '../../backends/backend.ts';
import type { AgentListView } from '../../domain/agent.ts';
import { byName, nameKey } from '../../domain/values/agent-name.ts';
import type { Clock } from '../../domain/clock.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';
import { isOffline } from '../../domain/status.ts';
import { listView } from './agent-view.ts';
import { noAgent } from '../context/no-agent.ts';

export interface WaitRequest {
  readonly agent_names?: string | readonly string[] | undefined;
  readonly until?: 'idle' | 'attention' | 'any_change' | undefined;
  readonly timeout_seconds?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface WaitParts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  progress(message: string): void;
  cursor(): string;
  /** False when events after the cursor are gone. */
  covers(cursor: string): boolean;
  /** Workspace ids of agents with an event after the cursor. */
  agentsChangedSince(cursor: string): ReadonlySet<string>;
  records(): Promise<{
    readonly records: readonly AgentRecord[];
    readonly unavailable: readonly { readonly message: string }[];
  }>;
  changed(timeout_ms: number, signal: AbortSignal): Promise<void>;
}

interface Look {
  readonly agents: readonly AgentListView[];
  readonly look_again_at: number | null;
}

const PROGRESS_EVERY_MS = 5_000;

/** Waits on changes and on what time alone makes (stuck), until the condition holds or time is up. */
export async function waitForAgents(request: WaitRequest, parts: WaitParts) {
  const until = request.until ?? 'idle';
  const names = request.agent_names === undefined ? undefined : splitNames(request.agent_names);
  const deadline = parts.clock.now().at + (request.timeout_seconds ?? 60) * 1000;
  const start = request.cursor ?? parts.cursor();
  // What came after it cannot be told any more: everything may have changed.
  const missed = !parts.covers(start);
  let before: Before | undefined;
  let saidAt = 0;
  for (;;) {
    // The cursor is read before the agents: a change between the two is told twice, never missed.
    const cursor = parts.cursor();
    const { agents, look_again_at } = await look(parts, names, before === undefined);
    const done = conditionHolds(until, agents, () =>
      missed
        ? { moved: agents, gone: true }
        : movesOf(agents, {
            changed: parts.agentsChangedSince(start),
            before,
            everybody: names === undefined,
          }),
    );
    before ??= {
      ids: new Set(agents.map((agent) => agent.workspace_id)),
      stuck: new Set(agents.filter((agent) => agent.stuck).map((agent) => agent.workspace_id)),
    };
    const now = parts.clock.now().at;
    if (done !== undefined) return { agents: [...done], timed_out: false, cursor };
    if (now >= deadline) return { agents: [...agents], timed_out: true, cursor };
    parts.signal.throwIfAborted();
    if (now - saidAt >= PROGRESS_EVERY_MS) {
      parts.progress(describe(until, agents));
      saidAt = now;
    }
    const next = Math.min(deadline, look_again_at ?? Number.POSITIVE_INFINITY, now + PROGRESS_EVERY_MS);
    await parts.changed(Math.max(10, next - now), parts.signal);
  }
}

/** The agents to answer with, once the condition holds. */
function conditionHolds(
  until: NonNullable<WaitRequest['until']>,
  agents: readonly AgentListView[],
  changed: () => Moves,
): readonly AgentListView[] | undefined {
  switch (until) {
    case 'idle':
      return agents.every(isSettled) ? agents : undefined;
    case 'attention': {
      const wanting = agents.filter((agent) => agent.needs_attention);
      return wanting.length > 0 ? wanting : undefined;
    }
    case 'any_change': {
      const { moved, gone } = changed();
      return moved.length > 0 || gone ? moved : undefined;
    }
  }
}

function isSettled(agent: AgentListView): boolean {
  return (agent.status === 'idle' && agent.queue_length === 0) || isOffline(agent.status);
}

/** What the first look saw. */
interface Before {
  readonly ids: ReadonlySet<string>;
  readonly stuck: ReadonlySet<string>;
}

interface Moves {
  readonly moved: readonly AgentListView[];
  /** An agent that is not there any more has changed too. */
  readonly gone: boolean;
}

function movesOf(
  agents: readonly AgentListView[],
  {
    changed,
    before,
    everybody,
  }: { changed: ReadonlySet<string>; before: Before | undefined; everybody: boolean },
): Moves {
  const present = new Set(agents.map((agent) => agent.workspace_id));
  const expected = everybody ? changed : (before?.ids ?? new Set());
  return {
    moved: agents.filter(
      (agent) =>
        changed.has(agent.workspace_id) ||
        (before !== undefined && agent.stuck && !before.stuck.has(agent.workspace_id)),
    ),
    gone: [...expected].some((id) => !present.has(id)),
  };
}

async function look(
  parts: WaitParts,
  names: ReadonlyMap<string, string> | undefined,
  first: boolean,
): Promise<Look> {
  const now = parts.clock.now();
  const { records, unavailable } = await parts.records();
  const wanted = names === undefined ? records : records.filter((record) => names.has(nameKey(record.name)));
  if (names !== undefined && wanted.length < names.size && unavailable.length > 0) throw notSeen(unavailable);
  if (first && names !== undefined) checkAllThere(names, records);
  const looks = wanted.map((record) => listView(record, now));
  const times = looks.map((each) => each.look_again_at).filter((time) => time !== null);
  return {
    agents: looks.map((each) => each.view).toSorted(byName),
    look_again_at: times.length === 0 ? null : Math.min(...times),
  };
}

/** An agent that is missing may be one of a backend that does not answer: it is not known to be gone. */
function notSeen(unavailable: readonly { readonly message: string }[]): FleetError {
  return new FleetError('SERVICE_UNAVAILABLE', unavailable.map(({ message }) => message).join(' '), {
    reason: 'backend_unavailable',
  });
}

function checkAllThere(names: ReadonlyMap<string, string>, found: readonly AgentRecord[]): void {
  const present = new Set(found.map((record) => nameKey(record.name)));
  const known = found.map((record) => record.name);
  for (const [key, spelled] of names) if (!present.has(key)) throw noAgent(spelled, known, 'agent_names');
}

function splitNames(given: string | readonly string[]): ReadonlyMap<string, string> {
  const names = (typeof given === 'string' ? given.split(',') : given)
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) {
    throw new FleetError(
      'INVALID_INPUT',
      `No agent name in ${quote(given)}: give names separated by commas.`,
      {
        field: 'agent_names',
      },
    );
  }
  return new Map(names.map((name) => [nameKey(name), name]));
}

function describe(until: NonNullable<WaitRequest['until']>, agents: readonly AgentListView[]): string {
  if (until !== 'idle')
    return `waiting for ${until === 'attention' ? 'one to need attention' : 'a change'} among ${agents.length}`;
  const open = agents.filter((agent) => !isSettled(agent));
  const shown = open.slice(0, 5).map((agent) => `${agent.name} (${agent.stuck ? 'stuck' : agent.status})`);
  return `waiting for ${open.length} of ${agents.length}: ${shown.join(', ')}${open.length > 5 ? ', …' : ''}`;
}
