import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../repository/agent-work.ts';
import { writeFileAtomic } from '../../../platform/write-file.ts';
import { JournalReader } from '../../../runner/journal/journal-reader.ts';
import type { Origin } from '../records/origin.ts';

/** A deleted agent, as it was put away. */
export interface Archive {
  readonly workspace_id: string;
  readonly path: string;
  /** Null for an agent of a Coder server, of which there is only a copy of the history. */
  readonly origin: Origin | null;
  readonly deleted_at: string;
  /** False when the work was discarded, or an older version removed it. */
  readonly has_workspace: boolean;
}

export interface Archives {
  readonly archives: readonly Archive[];
  /** What cannot be read, a sentence each. */
  readonly problems: readonly string[];
}

export function isWorkspaceId(name: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name);
}

/** The archives of a home, newest first. */
export function readArchives(home: string): Archives {
  const directory = join(home, 'archive');
  const problems: string[] = [];
  const archives = directoriesIn(directory)
    .filter(isWorkspaceId)
    .flatMap((name) => {
      const path = join(directory, name);
      try {
        return readArchive(path, name) ?? [];
      } catch (thrown) {
        problems.push(`the archive ${path} cannot be read: ${reasonOf(thrown)}`);
        return [];
      }
    });
  return { archives: archives.toSorted((a, b) => b.deleted_at.localeCompare(a.deleted_at)), problems };
}

/** Undefined when there is none. The journal says when the agent was deleted: the agent can have set the time of any file
 *  in its workspace. */
export function readArchive(path: string, workspaceId: string): Archive | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return undefined;
  using reader = JournalReader.open(join(path, 'journal.db'));
  const origin = reader?.origin() as Partial<Origin> | undefined;
  const { phase, updated_at } = reader?.state() ?? { phase: undefined, updated_at: '' };
  return {
    workspace_id: workspaceId,
    path,
    origin: isLocal(origin) ? origin : null,
    deleted_at: phase === 'deleted' ? updated_at : found.mtime.toISOString(),
    has_workspace: lstatSync(join(path, 'work'), { throwIfNoEntry: false })?.isDirectory() === true,
  };
}

/** An agent of a Coder server has another origin, or none. */
function isLocal(origin: Partial<Origin> | undefined): origin is Origin {
  return origin?.plan !== undefined && origin.launch !== undefined;
}

export const SIZE_NOTE = 'bytes';

/** The size of an archive, measured once: nothing writes to it any more. */
export async function archiveBytes(path: string): Promise<number> {
  const note = join(path, SIZE_NOTE);
  const known = noted(note);
  if (known !== undefined) return known;
  const bytes = await bytesUnder(path);
  try {
    writeFileAtomic(note, String(bytes));
  } catch {
    // It is measured again next time.
  }
  return bytes;
}

function noted(note: string): number | undefined {
  try {
    const text = readFileSync(note, 'utf8');
    return /^\d+$/.test(text) ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}

/** A link counts as itself; a directory that the agent has closed, or made too deep, counts as nothing. */
async function bytesUnder(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    const path = join(directory, entry.name);
    bytes += entry.isDirectory() ? await bytesUnder(path) : await sizeOf(path);
  }
  return bytes;
}

async function sizeOf(path: string): Promise<number> {
  return lstat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

function directoriesIn(directory: string): readonly string[] {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  return found?.isDirectory() === true ? readdirSync(directory) : [];
}
