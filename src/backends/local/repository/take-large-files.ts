import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { git } from '../../git/git.ts';
import type { Reader } from './reader.ts';

export interface LargeFiles {
  /** Fleet's repository, where the commits have arrived. */
  readonly fleet: string;
  readonly commits: readonly string[];
  readonly known: readonly string[];
  /** The agent's git directory, and the project's. */
  readonly from: string;
  readonly to: string;
  readonly limit_ms: number;
}

const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\nsize \d+\n/;

/** Brings the files that Git LFS keeps beside new commits along, each checked by its hash. Answers with those that the agent
 *  does not have, or not as its commits say. */
export async function takeLargeFiles(reader: Reader, files: LargeFiles): Promise<readonly string[]> {
  if (lstatSync(join(files.from, 'lfs'), { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const missing: string[] = [];
  for (const id of await pointersIn(files)) {
    const target = join(files.to, 'lfs', 'objects', id.slice(0, 2), id.slice(2, 4), id);
    if (!existsSync(target) && !(await takeOne(reader, files, { id, target }))) missing.push(id);
  }
  return missing;
}

/** What new commits point to. A pointer is a small file of a fixed form. */
async function pointersIn({ fleet, commits, known }: LargeFiles): Promise<readonly string[]> {
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

async function takeOne(
  reader: Reader,
  { from, limit_ms }: LargeFiles,
  { id, target }: { readonly id: string; readonly target: string },
): Promise<boolean> {
  mkdirSync(dirname(target), { recursive: true });
  const arriving = `${target}.${process.pid}`;
  const hash = createHash('sha256');
  let written = Promise.resolve();
  const { ok } = await reader.stream(
    {
      script: 'exec cat "$1"',
      args: [join(from, 'lfs', 'objects', id.slice(0, 2), id.slice(2, 4), id)],
      limit_ms,
    },
    ({ stdout }) => {
      stdout.on('data', (chunk: Buffer) => hash.update(chunk));
      written = pipeline(stdout, createWriteStream(arriving));
    },
  );
  const whole = await written.then(
    () => ok && hash.digest('hex') === id,
    () => false,
  );
  if (whole) renameSync(arriving, target);
  else rmSync(arriving, { force: true });
  return whole;
}
