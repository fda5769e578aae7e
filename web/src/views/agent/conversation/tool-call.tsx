import type { JSX } from 'preact';
import { unifiedDiff } from '../../../../../src/domain/approvals/unified-diff.ts';
import { AnsiText } from '../../../parts/ansi-text.tsx';
import { Patch } from '../../../parts/patch/patch.tsx';
import { visible } from '../../../parts/visible.ts';
import type { EntryOf } from './group-entries.ts';

const LABELS = {
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
  unknown: 'outcome unknown',
} as const;

/** A tool call, folded to one line; its input, output and diffs when it is opened. */
export function ToolCall({ call }: { call: EntryOf<'tool_call'> }): JSX.Element {
  const { title, status, input, output, diffs, truncated } = call;
  const hasInput = typeof input === 'object' && input !== null && Object.keys(input).length > 0;
  return (
    <details class={`tool-call ${status}`} open={diffs.length > 0 && status !== 'failed'}>
      <summary>
        <span class="title">
          <bdi>{visible(title)}</bdi>
        </span>{' '}
        <span class={`tag ${status}`}>{LABELS[status]}</span>
      </summary>
      {diffs.map(({ path, old_text, new_text }, index) => (
        <section key={index}>
          <p class="path">
            <bdi>{visible(path)}</bdi>
          </p>
          <Patch patch={unifiedDiff({ path, before: old_text, after: new_text })} path={path} />
        </section>
      ))}
      {hasInput && diffs.length === 0 ? (
        <pre tabIndex={0} aria-label="Input">
          <bdi>{visible(typeof input === 'string' ? input : JSON.stringify(input, null, 2))}</bdi>
        </pre>
      ) : null}
      {output === null || output === '' ? null : (
        <pre class="log" tabIndex={0} aria-label="Output">
          <AnsiText text={output} />
        </pre>
      )}
      {truncated ? <p class="quiet">Output truncated.</p> : null}
    </details>
  );
}
