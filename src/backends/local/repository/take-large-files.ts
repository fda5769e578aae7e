import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { largeFile, pointersIn, type NewCommits } from './large-files.ts';
import type { Reader } from '../reading/reader.ts';

export interface LargeFiles extends NewCommits {
  /** The agent's git directory, and the project's. */
  readonly from: string;
  readonly to: string;
  readonly limit_ms: number;
}

/** Brings the files that Git LFS keeps beside new commits along, each checked by its hash. Answers with those that the agent
 *  does not have, or not as its commits say. */
export async function takeLargeFiles(reader: Reader, files: LargeFiles): Promise<readonly string[]> {
  if (lstatSync(join(files.from, 'lfs'), { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const missing: string[] = [];
  for (const id of await pointersIn(files)) {
    const target = largeFile(files.to, id);
    if (!existsSync(target) && !(await takeOne(reader, files, { id, target }))) missing.push(id);
  }
  return missing;
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
      args: [largeFile(from, id)],
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
