import * as fc from 'fast-check';
import type { Fact, FactBody } from '../../src/domain/fact.ts';
import { FLEET_ACTOR, type Actor } from '../../src/domain/principal.ts';
import { EMPTY_STATE, fold, type AgentState } from '../../src/domain/state.ts';
import type { ReportState, TaskEnd } from '../../src/domain/task.ts';
import { anyCharacter } from './any-character.ts';

const HUMAN_ACTOR: Actor = { principal: 'user:tester', door: 'cli' };
const ENDS: readonly TaskEnd[] = ['complete', 'failed', 'canceled', 'interrupted'];
const REPORTS: readonly ReportState[] = ['working', 'idle', 'complete', 'failure'];

const CHECK_ENDS = ['passing', 'failing', 'not_run'] as const;

interface Step {
  readonly pick: number;
  readonly text: string;
  readonly elapsed_ms: number;
  readonly by_human: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  pick: fc.nat({ max: 10_000 }),
  text: fc.oneof(
    fc.constantFrom('one line', 'two\nlines'),
    fc.string({ unit: anyCharacter, maxLength: 12 }).map((text) => `a${text}`),
  ),
  elapsed_ms: fc.nat({ max: 400_000 }),
  by_human: fc.boolean(),
});

/** What most agents begin with; a sequence has as much of it as its first number says. */
const BEGINNING: readonly FactBody[] = [
  { kind: 'agent.created', name: 'sony', project: 'Setup', role: 'coder', stuck_after_ms: 300_000 },
  { kind: 'runner.started', generation: 1, pid: 1, version: '1' },
  { kind: 'agent.admitted' },
  { kind: 'agent.workspace_made', branch: 'fleet/sony', base: null },
  { kind: 'agent.ready' },
];

/** Facts in an order in which they can happen to an agent, from its creation on. */
export const factSequence: fc.Arbitrary<readonly Fact[]> = fc
  .tuple(fc.constantFrom(1, 2, 3, 4, 5, 5, 5, 5), fc.array(step, { maxLength: 30, size: 'max' }))
  .map(([begun, steps]) => {
    const facts: Fact[] = [];
    let state = EMPTY_STATE;
    let now = 1_800_000_000_000;
    const add = (body: FactBody, by: Actor): void => {
      const seq = state.seq + 1;
      const awake_ms = now - 1_799_000_000_000;
      facts.push({ seq, at: new Date(now).toISOString(), awake_ms, boot: 'boot-1', by, body });
      state = foldAll(facts.slice(-1), state);
    };
    for (const body of BEGINNING.slice(0, begun)) add(body, FLEET_ACTOR);
    for (const { pick, text, elapsed_ms, by_human } of steps) {
      const bodies = possible(state, `${state.seq + 1}`, { pick, text });
      const body = bodies[pick % bodies.length];
      if (body === undefined) break;
      now += elapsed_ms;
      add(body, by_human ? HUMAN_ACTOR : FLEET_ACTOR);
    }
    return facts;
  });

export function foldAll(facts: readonly Fact[], from: AgentState = EMPTY_STATE): AgentState {
  return facts.reduce(fold, from);
}

function possible(state: AgentState, id: string, { pick, text }: Pick<Step, 'pick' | 'text'>): FactBody[] {
  if (state.phase === 'deleted') return [];
  // What leads on is more likely than what can happen at any time.
  const forward = byPhase(state, id, text);
  return [...forward, ...forward, ...forward, ...atAnyTime(state, id, { pick, text })];
}

function atAnyTime(state: AgentState, id: string, { pick, text }: Pick<Step, 'pick' | 'text'>): FactBody[] {
  return [
    { kind: 'metadata.set', key: 'fleet_mcp_note', value: pick % 3 === 0 ? null : text },
    { kind: 'log.cut', entries: 1, characters: 10 },
    { kind: 'journal.mended', facts: 3, kept_as: null },
    { kind: 'agent.acknowledged' },
    { kind: 'checks.started', commit: `c${pick % 5}`, names: ['tests'] },
    {
      kind: 'checks.ended',
      commit: `c${pick % 5}`,
      state: CHECK_ENDS[pick % CHECK_ENDS.length] ?? 'passing',
      failed: ['tests'],
    },
    {
      kind: 'report',
      report_id: `r${id}`,
      message: text,
      uri: null,
      state: REPORTS[pick % REPORTS.length] ?? 'working',
    },
    ...(pick < RARE ? rare(state) : []),
    ...state.queue.map((task_id) => ended(task_id, 'canceled')),
  ];
}

/** Of ten thousand numbers, those that let something happen that turns an agent's life. */
const RARE = 2_000;

function rare({ phase, running, attended, generation }: AgentState): FactBody[] {
  if (phase === 'deleting') return [];
  const free = running === null;
  return [
    { kind: 'agent.deleting' },
    ...(['pending', 'starting', 'ready'].includes(phase) ? [{ kind: 'agent.stop_requested' } as const] : []),
    ...(free ? [{ kind: 'agent.restart_requested' } as const] : []),
    ...(free && attended ? [{ kind: 'runner.lost', generation } as const] : []),
  ];
}

function byPhase(state: AgentState, id: string, text: string): FactBody[] {
  const { running, queue, attended } = state;
  const accepted = (front: boolean): FactBody => ({
    kind: 'task.accepted',
    task_id: `t${id}`,
    message: text,
    source: 'human',
    front,
  });
  const started: FactBody[] = attended
    ? []
    : [{ kind: 'runner.started', generation: state.generation + 1, pid: 1, version: '1' }];
  switch (state.phase) {
    case 'pending':
      return [
        ...(attended ? [{ kind: 'agent.admitted' } as const] : started),
        accepted(false),
        accepted(true),
      ];
    case 'starting':
      return [
        { kind: 'agent.workspace_made', branch: 'fleet/sony', base: null },
        { kind: 'agent.ready' },
        { kind: 'agent.ready' },
        { kind: 'agent.start_failed', reason: text },
        accepted(false),
      ];
    case 'ready':
      return [
        accepted(false),
        accepted(true),
        ...started,
        ...(running === null
          ? [...beginning(queue), ...beginning(queue), ...beginning(queue)]
          : ending(running.id)),
        ...(running === null && queue.length === 0 && attended ? [{ kind: 'runner.slept' } as const] : []),
      ];
    case 'stopping':
    case 'canceling':
      return running === null ? [{ kind: 'agent.stopped' }] : ending(running.id);
    case 'stopped':
    case 'failed':
    case 'canceled':
      return [{ kind: 'agent.restart_requested' }];
    case 'deleting':
      return running === null && queue.length === 0
        ? [{ kind: 'agent.deleted' }]
        : ending(running?.id ?? queue[0] ?? '');
    case 'deleted':
      return [];
  }
}

function beginning([next]: readonly string[]): FactBody[] {
  return next === undefined ? [] : [{ kind: 'task.started', task_id: next, message: `the text of ${next}` }];
}

function ending(task_id: string): FactBody[] {
  return [{ kind: 'task.cancel_requested', task_id }, ...ENDS.map((state) => ended(task_id, state))];
}

function ended(task_id: string, state: TaskEnd): FactBody {
  return { kind: 'task.ended', task_id, state, reason: `it ${state}` };
}
