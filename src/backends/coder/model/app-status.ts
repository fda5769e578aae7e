import type { AgentState } from '../../../domain/state.ts';
import { oneLine } from '../../../domain/values/text.ts';

/** Coder takes this many bytes. */
const MESSAGE_BYTES = 160;

export interface AppStatus {
  readonly state: 'working' | 'idle' | 'failure';
  readonly message: string;
  /** Says which fact it was made after, so that an older copy of the journal can be told from a newer one. */
  readonly uri: string;
}

/** What the fleet can see of an agent without asking its runner. */
export interface StatusNote {
  readonly seq: number;
  readonly queued: number;
  readonly stuck: boolean;
  readonly failed: boolean;
  readonly attention: boolean;
}

const PREFIX = 'fleet://status/';

/** What a runner reports of its agent. Undefined while the agent is not ready: then Coder's own word stands. */
export function appStatusOf(state: AgentState, stuck: boolean): AppStatus | undefined {
  const { phase, running, queue, attention, last_task } = state;
  if (phase !== 'ready' && phase !== 'failed') return undefined;
  const failed = phase === 'failed';
  const busy = !failed && (running !== null || queue.length > 0);
  const message = failed ? state.phase_reason : (running?.message ?? last_task ?? '');
  const wants =
    attention !== null || stuck || state.approvals.some(({ seen }) => !seen) || state.parked !== null;
  const flags = [
    ...(queue.length > 0 ? [`queued=${queue.length}`] : []),
    ...(stuck ? ['stuck'] : []),
    ...(failed ? ['failed'] : []),
    ...(wants ? ['attention'] : []),
  ];
  return {
    state: busy ? 'working' : failed || wants ? 'failure' : 'idle',
    message: firstBytes(oneLine(message), MESSAGE_BYTES),
    uri: `${PREFIX}${state.seq}${flags.length === 0 ? '' : `?${flags.join('&')}`}`,
  };
}

/** Undefined for a status that no runner of ours reported. */
export function noteOf(uri: string): StatusNote | undefined {
  if (!uri.startsWith(PREFIX)) return undefined;
  const [seq = '', query = ''] = uri.slice(PREFIX.length).split('?');
  const flags = new URLSearchParams(query);
  return {
    seq: Number(seq),
    queued: Number(flags.get('queued') ?? 0),
    stuck: flags.has('stuck'),
    failed: flags.has('failed'),
    attention: flags.has('attention'),
  };
}

function firstBytes(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text;
  return Buffer.from(text)
    .subarray(0, limit)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
}
