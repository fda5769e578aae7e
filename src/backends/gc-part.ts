export interface GcLimits {
  /** Files that were last changed before this time are old, in milliseconds. */
  readonly before: number;
  /** What the archives of deleted agents may take together. */
  readonly archiveBytes: number;
  /** Kept branches older than this time go too; without it, all stay. */
  readonly keptBefore: number | undefined;
}

export interface Amount {
  readonly count: number;
  readonly bytes: number;
}

/** What one part of a home has that can go. */
export interface GcFound {
  readonly all: Amount;
  /** What goes when it may. */
  readonly old: Amount;
  /** What is not removed although it is old, or could not be looked at. */
  readonly note?: string;
  remove(): Promise<void> | void;
}

export interface GcPart {
  /** In answers for programs. */
  readonly name: string;
  readonly title: string;
  find(): Promise<GcFound> | GcFound;
}

export const NOTHING: Amount = { count: 0, bytes: 0 };

export function amountOf(items: readonly { readonly bytes: number }[]): Amount {
  return { count: items.length, bytes: items.reduce((total, { bytes }) => total + bytes, 0) };
}
