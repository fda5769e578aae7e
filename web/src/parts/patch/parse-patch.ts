export type PatchLineKind = 'context' | 'added' | 'removed' | 'hunk' | 'note';

export interface PatchLine {
  readonly kind: PatchLineKind;
  readonly text: string;
  readonly old: number | null;
  readonly new: number | null;
}

/** The lines of one file's patch, numbered. What comes before the first hunk is left out: the file's heading says it. */
export function parsePatch(patch: string): readonly PatchLine[] {
  const lines: PatchLine[] = [];
  let [before, after, inside] = [0, 0, false];
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (hunk !== null) {
      [before, after, inside] = [Number(hunk[1]), Number(hunk[2]), true];
      lines.push({ kind: 'hunk', text: line, old: null, new: null });
    } else if (!inside) continue;
    else if (line.startsWith('+'))
      lines.push({ kind: 'added', text: line.slice(1), old: null, new: after++ });
    else if (line.startsWith('-'))
      lines.push({ kind: 'removed', text: line.slice(1), old: before++, new: null });
    else if (line.startsWith('\\')) lines.push({ kind: 'note', text: line.slice(2), old: null, new: null });
    else lines.push({ kind: 'context', text: line.slice(1), old: before++, new: after++ });
  }
  return lines;
}
