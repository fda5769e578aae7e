import { statSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../platform/write-file.ts';
import { packRepositories } from '../repository/pack-repositories.ts';
import { endArchives } from './end-archives.ts';
import { ARCHIVE_LIMITS, findOldArchives } from './old-archives.ts';

const EVERY_MS = 86_400_000;

/** Ends archives that are too old or too large, once a day among all processes. */
export async function keepArchives(home: string, now: number): Promise<void> {
  const note = join(home, 'archive', 'looked');
  const directory = statSync(join(home, 'archive'), { throwIfNoEntry: false });
  const looked = statSync(note, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (directory?.isDirectory() !== true || now - looked < EVERY_MS) return;
  writeFileAtomic(note, '');
  const { old, problems } = await findOldArchives(home, {
    before: now - ARCHIVE_LIMITS.age_ms,
    bytes: ARCHIVE_LIMITS.bytes,
  });
  const failed = [...problems, ...(await endArchives(home, old))];
  if (old.length > 0) failed.push(...(await packRepositories(home)));
  if (failed.length > 0) throw new Error(failed.join('; '));
}
