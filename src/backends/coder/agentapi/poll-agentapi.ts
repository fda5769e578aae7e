import { randomUUID } from 'node:crypto';
import type { Fact, FactBody } from '../../../domain/fact.ts';
import { FLEET_ACTOR } from '../../../domain/principal.ts';
import { EMPTY_STATE } from '../../../domain/state.ts';
import { firstBytes, RESULT_BYTES } from '../../../domain/task-result.ts';
import type { CoderOrigin } from '../model/coder-origin.ts';
import type { MirrorJournal } from '../model/mirror-journal.ts';
import type { AgentApi, Message } from './agentapi.ts';
import { keepMessages, NOTHING_KEPT, screenText, type Kept } from './keep-messages.ts';

/** What is remembered of an AgentAPI between two looks. */
interface Memory {
  /** The build in which it was last seen. */
  readonly build_id: string;
  readonly kept: Kept;
  /** The newest message of a user that is known to be a task. */
  readonly known: number;
  /** The task that was tried to deliver, after which message, and how often. */
  readonly sent: { readonly task_id: string; readonly after: number; readonly tries: number } | null;
}

export interface PolledAgent {
  readonly name: string;
  readonly origin: CoderOrigin;
  readonly build_id: string;
}

const TRIES = 3;
const NOTHING: Memory = { build_id: '', kept: NOTHING_KEPT, known: 0, sent: null };

/** Looks at an AgentAPI and writes down what happened since; delivers the task that is next when the agent is free. */
export async function pollAgentApi(
  journal: MirrorJournal,
  api: AgentApi,
  { name, origin, build_id }: PolledAgent,
): Promise<void> {
  meet(journal, name, origin);
  let memory = journal.memory<Memory>() ?? NOTHING;
  if (memory.build_id !== build_id) {
    if (memory.build_id !== '') interrupted(journal, 'its workspace was restarted meanwhile');
    memory = { ...memory, build_id };
  }
  const [stable, messages] = await Promise.all([api.isStable(), api.messages()]);
  const kept = keepMessages(journal, messages, memory.kept);
  if (kept.began !== memory.kept.began && memory.kept.began !== '') {
    interrupted(journal, 'AgentAPI was restarted meanwhile');
    memory = { ...NOTHING, build_id };
  }
  memory = { ...memory, kept };
  journal.remember(memory);
  const { running, queue } = journal.state();
  if (running !== null && stable) ended(journal, messages);
  if (running !== null && !stable) return;
  if (queue.length > 0) journal.remember(await deliver(journal, api, memory));
  else journal.remember({ ...memory, known: noteOthers(journal, messages, { stable, known: memory.known }) });
}

/** The first task is the template's to deliver: it is a parameter. */
function meet(journal: MirrorJournal, name: string, origin: CoderOrigin): void {
  if (journal.state().seq > 0) return;
  const { task_id, task: message, source, project, role, created_at, created_by } = origin;
  const first: FactBody[] =
    task_id === '' ? [] : [{ kind: 'task.accepted', task_id, message, source, front: false }];
  const { stuck_after_ms } = EMPTY_STATE;
  const bodies: FactBody[] = [{ kind: 'agent.created', name, project, role, stuck_after_ms }, ...first];
  const by = { principal: created_by || FLEET_ACTOR.principal, door: FLEET_ACTOR.door };
  const at = created_at || new Date().toISOString();
  const facts = bodies.map((body, index): Fact => ({ seq: index + 1, at, awake_ms: 0, boot: '', by, body }));
  journal.restore(facts, facts.length);
  journal.append(FLEET_ACTOR, { kind: 'agent.ready' });
  if (task_id !== '') journal.append(FLEET_ACTOR, { kind: 'task.started', task_id, message });
}

function ended(journal: MirrorJournal, messages: readonly Message[]): void {
  const { running } = journal.state();
  if (running === null) return;
  const { id: task_id, cancel_requested } = running;
  const body = cancel_requested
    ? ({ state: 'canceled', reason: 'interrupted on request' } as const)
    : ({ state: 'complete', reason: 'the agent waits for input again' } as const);
  const last = messages.at(-1);
  const output = last?.role === 'agent' ? { output: firstBytes(screenText(last.content), RESULT_BYTES) } : {};
  journal.append(FLEET_ACTOR, { kind: 'task.ended', task_id, ...body, ...output });
}

function interrupted(journal: MirrorJournal, reason: string): void {
  const { running } = journal.state();
  if (running === null) return;
  journal.append(FLEET_ACTOR, { kind: 'task.ended', task_id: running.id, state: 'interrupted', reason });
}

/** Sends the task that is next, and never one again that may have arrived. */
async function deliver(journal: MirrorJournal, api: AgentApi, before: Memory): Promise<Memory> {
  let memory = before;
  for (;;) {
    const [task_id] = journal.state().queue;
    if (task_id === undefined) return memory;
    const message = journal.historyRow(task_id)?.message ?? '';
    const messages = await api.messages();
    const sent = memory.sent?.task_id === task_id ? memory.sent : null;
    const arrived = sent === null ? undefined : messages.find((each) => isOurs(each, message, sent.after));
    if (arrived !== undefined) return started(journal, { ...memory, known: arrived.id });
    if (sent !== null && (sent.tries === TRIES || stands(messages, message))) {
      const reason = 'AgentAPI did not accept it; it may still be in the input of the agent';
      journal.append(FLEET_ACTOR, { kind: 'task.ended', task_id, state: 'failed', reason });
      return { ...memory, sent: null };
    }
    if (!(await api.isStable())) return memory;
    const after = messages.at(-1)?.id ?? -1;
    memory = { ...memory, sent: { task_id, after, tries: (sent?.tries ?? 0) + 1 } };
    journal.remember(memory);
    const outcome = await api.say(message);
    if (outcome === 'busy') return { ...memory, sent: null };
    if (outcome === 'taken') return started(journal, { ...memory, known: after + 1 });
  }
}

function started(journal: MirrorJournal, memory: Memory): Memory {
  const [task_id = ''] = journal.state().queue;
  const message = journal.historyRow(task_id)?.message ?? '';
  journal.append(FLEET_ACTOR, { kind: 'task.started', task_id, message });
  return { ...memory, sent: null };
}

function isOurs({ role, id, content }: Message, message: string, after: number): boolean {
  return role === 'user' && id > after && content.trim() === message.trim();
}

/** True when the beginning of a message is on the agent's screen, although it is none of the messages. */
function stands(messages: readonly Message[], message: string): boolean {
  const [line = ''] = message.trim().split('\n');
  const screen = messages.findLast(({ role }) => role === 'agent')?.content ?? '';
  return screen.includes(line.slice(0, 40));
}

/** What somebody else gave the agent to do is a task, too. The newest message that is known. */
function noteOthers(
  journal: MirrorJournal,
  messages: readonly Message[],
  { stable, known }: { readonly stable: boolean; readonly known: number },
): number {
  const newest = messages.findLast(({ role }) => role === 'user');
  if (newest === undefined || newest.id <= known) return known;
  if (stable) return newest.id;
  const task_id = randomUUID();
  const { content: message } = newest;
  journal.append(
    FLEET_ACTOR,
    { kind: 'task.accepted', task_id, message, source: 'human', front: false },
    { kind: 'task.started', task_id, message },
  );
  return newest.id;
}
