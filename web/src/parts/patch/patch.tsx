import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { parsePatch, type PatchLine } from './parse-patch.ts';
import { visible } from '../visible.ts';
import { useColours, type Colours } from './use-colours.ts';

const CHUNK = 200;
const SIGNS = { added: '+', removed: '−', context: ' ', hunk: ' ', note: ' ' } as const;
const NAMES = { added: 'added', removed: 'removed', context: '', hunk: '', note: '' } as const;

/** A patch of one file. Lines that are out of sight cost no layout. */
export function Patch({
  patch,
  path,
  onLine,
  under,
  whole = false,
}: {
  patch: string;
  path: string;
  /** Nothing of it is out of sight: long lines are broken. */
  whole?: boolean;
  /** With it each line has a button for a comment. */
  onLine?: (line: PatchLine) => void;
  /** What stands below a line: comments on it. */
  under?: (line: PatchLine) => ComponentChildren;
}): JSX.Element {
  const all = useMemo(() => parsePatch(patch), [patch]);
  const chunks = useMemo(
    () =>
      Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, index) =>
        all.slice(index * CHUNK, (index + 1) * CHUNK),
      ),
    [all],
  );
  const colours = useColours(path, all);
  return (
    <div class={`patch ${whole ? 'whole' : ''}`} role="group" aria-label={`Changes of ${path}`} tabIndex={0}>
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
                  <bdi>{textOf(line, colours)}</bdi>
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

function textOf(line: PatchLine, colours: Colours): ComponentChildren {
  const tokens = colours.get(line);
  if (tokens === undefined) return visible(line.text);
  return tokens.map(({ text, kind }, at) =>
    kind === '' ? (
      visible(text)
    ) : (
      <span key={at} class={`code-${kind}`}>
        {visible(text)}
      </span>
    ),
  );
}
