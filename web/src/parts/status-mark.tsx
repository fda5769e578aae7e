import type { JSX } from 'preact';
import type { AgentRow } from '../api/live.ts';

type Tone = 'attention' | 'working' | 'waiting' | 'quiet' | 'off' | 'bad';

interface Look {
  readonly tone: Tone;
  readonly label: string;
  readonly shape: JSX.Element;
}

/** The status of an agent: a shape, a colour and a word, never the colour alone. */
export function StatusMark({
  agent,
  withLabel = true,
}: {
  agent: Pick<AgentRow, 'status' | 'status_reason' | 'needs_attention' | 'stuck'>;
  withLabel?: boolean;
}): JSX.Element {
  const { tone, label, shape } = lookOf(agent);
  return (
    <span class={`status ${tone}`} title={agent.status_reason}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" focusable="false">
        {shape}
      </svg>
      {withLabel ? <span>{label}</span> : <span class="visually-hidden">{label}</span>}
    </span>
  );
}

const SHAPES = {
  bang: (
    <path
      d="M8 1 15.5 14.5H.5zM7.2 5.5l.3 4.5h1l.3-4.5zM8 11.2a.9.9 0 1 0 0 1.8.9.9 0 0 0 0-1.8z"
      fill="currentColor"
      fill-rule="evenodd"
    />
  ),
  play: <path d="M3.5 1.8v12.4L14 8z" fill="currentColor" />,
  ring: (
    <circle
      cx="8"
      cy="8"
      r="5.5"
      fill="none"
      stroke="currentColor"
      stroke-width="2.5"
      stroke-dasharray="4 3"
    />
  ),
  dot: <circle cx="8" cy="8" r="5" fill="none" stroke="currentColor" stroke-width="2" />,
  square: (
    <rect x="3" y="3" width="10" height="10" rx="1" fill="none" stroke="currentColor" stroke-width="2" />
  ),
  cross: <path d="m3 3 10 10M13 3 3 13" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" />,
} as const;

function lookOf({
  status,
  needs_attention,
  stuck,
}: Pick<AgentRow, 'status' | 'needs_attention' | 'stuck'>): Look {
  if (status === 'failed') return { tone: 'bad', label: 'failed', shape: SHAPES.cross };
  if (needs_attention || stuck) {
    return {
      tone: 'attention',
      label: stuck ? `${status}, stuck` : `${status}, needs you`,
      shape: SHAPES.bang,
    };
  }
  switch (status) {
    case 'busy':
      return { tone: 'working', label: status, shape: SHAPES.play };
    case 'idle':
      return { tone: 'quiet', label: status, shape: SHAPES.dot };
    case 'pending':
    case 'starting':
    case 'stopping':
    case 'canceling':
    case 'deleting':
      return { tone: 'waiting', label: status, shape: SHAPES.ring };
    case 'stopped':
    case 'canceled':
    case 'deleted':
      return { tone: 'off', label: status, shape: SHAPES.square };
  }
}
