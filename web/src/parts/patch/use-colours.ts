import { useEffect, useState } from 'preact/hooks';
import type { Token } from './coloured-lines.ts';
import { languageOf } from './language-of.ts';
import type { PatchLine } from './parse-patch.ts';

export type Colours = ReadonlyMap<PatchLine, readonly Token[]>;

const NO_COLOURS: Colours = new Map();
/** Beyond these, code is shown without colours: it would hold the page up. */
const MAX_LINES = 4_000;
const MAX_HUNK = 1_000;
const MAX_LINE = 500;

/** The colours of a patch's lines, some moments after it is shown. Each hunk is read alone, its old and its new lines
 *  apart, and the page can do other things between two. */
export function useColours(path: string, lines: readonly PatchLine[]): Colours {
  const [colours, setColours] = useState(NO_COLOURS);
  useEffect(() => {
    const language = languageOf(path);
    setColours(NO_COLOURS);
    if (language === undefined || lines.length > MAX_LINES) return;
    const ending = new AbortController();
    void (async () => {
      const found = await colour(lines, language, ending.signal);
      if (!ending.signal.aborted) setColours(found);
    })();
    return () => ending.abort();
  }, [path, lines]);
  return colours;
}

async function colour(lines: readonly PatchLine[], language: string, signal: AbortSignal): Promise<Colours> {
  const { highlight } = await import('./highlighter.ts');
  const colours = new Map<PatchLine, readonly Token[]>();
  for (const hunk of hunksOf(lines)) {
    if (signal.aborted || hunk.length > MAX_HUNK || hunk.some(({ text }) => text.length > MAX_LINE)) continue;
    for (const other of ['added', 'removed'] as const) {
      const side = hunk.filter(({ kind }) => kind !== other);
      const found = highlight(side.map(({ text }) => text).join('\n'), language);
      for (const [at, line] of side.entries()) colours.set(line, found[at] ?? []);
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return colours;
}

function hunksOf(lines: readonly PatchLine[]): readonly (readonly PatchLine[])[] {
  const hunks: PatchLine[][] = [];
  for (const line of lines) {
    if (line.kind === 'hunk') hunks.push([]);
    else if (line.kind !== 'note') hunks.at(-1)?.push(line);
  }
  return hunks;
}
