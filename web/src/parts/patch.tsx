import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { parsePatch, type PatchLine } from './parse-patch.ts';
import { visible } from './visible.ts';

const CHUNK = 200;
const SIGNS = { added: '+', removed: '−', context: ' ', hunk: ' ', note: ' ' } as const;
const NAMES = { added: 'added', removed: 'removed', context: '', hunk: '', note: '' } as const;

/** A patch of one file. Lines that are out of sight cost no layout. */
export function Patch({
  patch,
  label,
  onLine,
  under,
}: {
  patch: string;
  label: string;
  /** With it each line has a button for a comment. */
  onLine?: (line: PatchLine) => void;
  /** What stands below a line: comments on it. */
  under?: (line: PatchLine) => ComponentChildren;
}): JSX.Element {
  const chunks = useMemo(() => {
    const lines = parsePatch(patch);
    return Array.from({ length: Math.ceil(lines.length / CHUNK) }, (_, index) =>
      lines.slice(index * CHUNK, (index + 1) * CHUNK),
    );
  }, [patch]);
  return (
    <div class="patch" role="group" aria-label={label} tabIndex={0}>
      {chunks.map((lines, index) => (
        <div
          key={index}
          class="patch-chunk"
          style={{ containIntrinsicHeight: `auto ${lines.length * 20}px` }}
        >
          {lines.map((line, at) => (
            <div
              key={`${line.old ?? ''}:${line.new ?? ''}:${line.kind === 'hunk' || line.kind === 'note' ? at : ''}`}
            >
              <div class={`patch-line ${line.kind}`}>
                <span class="number">{line.old ?? ''}</span>
                <span class="number">{line.new ?? ''}</span>
                {onLine === undefined || line.kind === 'hunk' || line.kind === 'note' ? (
                  <span class="comment-space" />
                ) : (
                  <button
                    type="button"
                    class="comment-button"
                    aria-label={`Comment on line ${line.new ?? line.old ?? ''}`}
                    onClick={() => onLine(line)}
                  >
                    +
                  </button>
                )}
                <code>
                  <span class="sign" aria-hidden="true">
                    {SIGNS[line.kind]}
                  </span>
                  {NAMES[line.kind] === '' ? null : <span class="visually-hidden">{NAMES[line.kind]}: </span>}
                  <bdi>{visible(line.text)}</bdi>
                </code>
              </div>
              {under?.(line)}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}
