import { archiveBytes, readArchives, type Archive } from './archives.ts';

/** How long, and how much, the archive keeps unless somebody says otherwise. */
export const ARCHIVE_LIMITS = { age_ms: 30 * 86_400_000, bytes: 10 * 1024 ** 3 } as const;

export interface ArchiveLimits {
  /** What was deleted before this time goes; milliseconds. */
  readonly before: number;
  /** Above this size, all archives together, the oldest go. */
  readonly bytes: number;
}

export interface MeasuredArchive extends Archive {
  readonly bytes: number;
}

export interface OldArchives {
  readonly all: readonly MeasuredArchive[];
  readonly old: readonly MeasuredArchive[];
  readonly problems: readonly string[];
}

/** The archives of a home, and those that are too old, or too much together with newer ones. */
export async function findOldArchives(home: string, limits: ArchiveLimits): Promise<OldArchives> {
  const { archives, problems } = readArchives(home);
  const all: MeasuredArchive[] = [];
  for (const archive of archives) all.push({ ...archive, bytes: await archiveBytes(archive.path) });
  return { all, old: oldOf(all, limits), problems };
}

/** Of archives that are sorted, the newest first. */
export function oldOf<Each extends Pick<MeasuredArchive, 'bytes' | 'deleted_at'>>(
  archives: readonly Each[],
  { before, bytes }: ArchiveLimits,
): readonly Each[] {
  let total = 0;
  return archives.filter((archive) => {
    total += archive.bytes;
    return Date.parse(archive.deleted_at) < before || total > bytes;
  });
}
