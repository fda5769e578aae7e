import { join } from 'node:path';
import { git } from '../../git/git.ts';

export interface NewCommits {
  /** Fleet's repository, where the commits have arrived. */
  readonly fleet: string;
  readonly commits: readonly string[];
  readonly known: readonly string[];
}

const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\nsize \d+\n/;

/** Where Git LFS keeps a file in a git directory. */
export function largeFile(gitDirectory: string, id: string): string {
  return join(gitDirectory, 'lfs', 'objects', id.slice(0, 2), id.slice(2, 4), id);
}

/** What new commits point to. A pointer is a small file of a fixed form. */
export async function pointersIn({ fleet, commits, known }: NewCommits): Promise<readonly string[]> {
  const args = [
    'rev-list',
    '--objects',
    '--no-object-names',
    '--stdin',
    '--filter=blob:limit=1024',
    // In a partial clone: an object that is missing is not the agent's.
    '--missing=allow-any',
  ];
  const input = [...commits, ...known.map((each) => `^${each}`)].map((line) => `${line}\n`).join('');
  const listed = await git(fleet, args, { input });
  const types = await git(fleet, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
    input: listed.stdout,
  });
  const blobs = types.stdout
    .split('\n')
    .flatMap((line) => (line.endsWith(' blob') ? [line.split(' ')[0]] : []));
  const { stdout } = await git(fleet, ['cat-file', '--batch'], {
    input: blobs.map((id) => `${id}\n`).join(''),
  });
  const texts = stdout.split(/^[0-9a-f]{40,64} blob \d+$\n/m);
  return [...new Set(texts.flatMap((text) => POINTER.exec(text)?.[1] ?? []))];
}
