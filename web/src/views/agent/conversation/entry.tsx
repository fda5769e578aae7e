import type { JSX } from 'preact';
import { AnsiText } from '../../../parts/ansi-text.tsx';
import { Clamped } from '../../../parts/clamped.tsx';
import { LogBox } from '../../../parts/log-box.tsx';
import { Markdown } from '../../../parts/markdown/markdown.tsx';
import { SafeLink } from '../../../parts/safe-link.tsx';
import { Ago } from '../../../parts/time.tsx';
import { visible } from '../../../parts/visible.ts';
import type { EntryGroup, EntryOf } from './group-entries.ts';
import { ToolCall } from './tool-call.tsx';

const PLAN_MARKS: Readonly<Record<string, string>> = { completed: '☑', in_progress: '▸', pending: '☐' };

/** One part of a conversation. */
export function Entry({ group }: { group: EntryGroup }): JSX.Element {
  if (group.kind === 'output') return <Output lines={group.lines} />;
  const { entry } = group;
  switch (entry.kind) {
    case 'task':
      return (
        <div class="bubble person">
          <p class="quiet">
            Task, <Ago at={entry.at} />
          </p>
          <Clamped class="pre long">
            <bdi>{visible(entry.text)}</bdi>
          </Clamped>
        </div>
      );
    case 'message':
      return entry.from === 'thought' ? (
        <details class="thought">
          <summary>Thinking</summary>
          <Markdown text={entry.text} />
        </details>
      ) : (
        <div class={`bubble ${entry.from === 'user' ? 'person' : 'agent'}`}>
          <Markdown text={entry.text} />
        </div>
      );
    case 'tool_call':
      return <ToolCall call={entry} />;
    case 'plan':
      return (
        <div class="plan">
          <p class="quiet">Plan</p>
          <ul>
            {entry.entries.map(({ content, status }, index) => (
              <li key={index} class={status}>
                <span aria-hidden="true">{PLAN_MARKS[status] ?? '☐'}</span> <bdi>{visible(content)}</bdi>
                <span class="visually-hidden"> ({status.replace('_', ' ')})</span>
              </li>
            ))}
          </ul>
        </div>
      );
    case 'permission':
      return <Permission entry={entry} />;
    case 'note':
      return (
        <p class={`note ${entry.level.toLowerCase()}`}>
          <bdi>{visible(entry.text)}</bdi>
        </p>
      );
    case 'report':
      return (
        <div class="bubble agent">
          <p class="quiet">Report ({entry.state})</p>
          <p class="pre">
            <bdi>{visible(entry.text)}</bdi>
          </p>
          {entry.uri === null ? null : <SafeLink url={entry.uri}>{entry.uri}</SafeLink>}
        </div>
      );
    case 'task_end':
      return (
        <p class="task-end">
          <span class={`tag ${entry.state}`}>{entry.state}</span>{' '}
          <span class="quiet">
            {entry.reason === '' ? null : (
              <>
                <bdi>{visible(entry.reason)}</bdi>,{' '}
              </>
            )}
            <Ago at={entry.at} />
          </span>
        </p>
      );
  }
}

function Output({ lines }: { lines: readonly EntryOf<'output'>[] }): JSX.Element {
  return (
    <LogBox label="Output">
      {lines.map(({ id, stream, text }) => (
        <div key={id} class={stream === 'stderr' ? 'warn' : ''}>
          <AnsiText text={text} />
        </div>
      ))}
    </LogBox>
  );
}

function Permission({ entry }: { entry: EntryOf<'permission'> }): JSX.Element {
  const { answer, closed, question } = entry;
  return (
    <p class="note">
      {answer === null
        ? closed === null
          ? 'Asks: '
          : 'Asked: '
        : answer.decision === 'allow'
          ? 'Allowed: '
          : 'Denied: '}
      <bdi>{visible(question)}</bdi>
      {answer === null ? null : (
        <span class="quiet">
          {' '}
          by <bdi>{answer.by}</bdi>
          {answer.answer === null ? null : (
            <>
              , “<bdi>{visible(answer.answer)}</bdi>”
            </>
          )}
          {answer.note === null ? null : (
            <>
              , note “<bdi>{visible(answer.note)}</bdi>”
            </>
          )}
        </span>
      )}
      {closed === null ? null : <span class="quiet"> ({closed})</span>}
    </p>
  );
}
