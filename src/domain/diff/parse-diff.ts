import type { DiffFile, DiffStatus } from './agent-diff.ts';
import { runsElsewhere } from './runs-elsewhere.ts';

const STATUSES: Readonly<Record<string, DiffStatus>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type_changed',
};

/** The files in what `git diff-tree -r --raw --numstat -z` prints, in its order. `uncommitted` has the paths that differ
 *  from the last commit. */
export function parseDiff(printed: Buffer, uncommitted: ReadonlySet<string>): readonly DiffFile[] {
  const fields = splitNul(printed);
  const raw: Omit<DiffFile, 'insertions' | 'deletions' | 'binary'>[] = [];
  let at = 0;
  for (; fields[at]?.startsWith(':') === true;) {
    const [oldMode = '', mode = '', , , letter = ''] = fields[at]?.slice(1).split(' ') ?? [];
    const status = STATUSES[letter[0] ?? ''] ?? 'modified';
    const twoPaths = status === 'renamed' || status === 'copied';
    const before = fields[at + 1] ?? '';
    const path = twoPaths ? (fields[at + 2] ?? '') : before;
    raw.push({
      path,
      old_path: twoPaths ? before : null,
      status,
      mode: status === 'deleted' ? oldMode : mode,
      uncommitted: uncommitted.has(path) || (twoPaths && uncommitted.has(before)),
      runs_elsewhere: runsElsewhere(path) || (twoPaths && runsElsewhere(before)),
    });
    at += twoPaths ? 3 : 2;
  }
  return raw.map((file) => {
    const [insertions = '0', deletions = '0'] = (fields[at] ?? '').split('\t');
    // Two names are fields of their own.
    at += file.old_path === null ? 1 : 3;
    const binary = insertions === '-';
    return {
      ...file,
      insertions: binary ? 0 : Number(insertions),
      deletions: binary ? 0 : Number(deletions),
      binary,
    };
  });
}

export function splitNul(printed: Buffer): readonly string[] {
  return printed
    .toString('utf8')
    .split('\0')
    .filter((field, index, all) => field !== '' || index < all.length - 1);
}
