import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../../platform/write-file.ts';

const entrySchema = z.object({
  hash: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  /** An older version did not keep it. */
  browser: z.string().default('unknown'),
});

type SessionEntry = z.output<typeof entrySchema>;

/** A browser that has signed in. */
export interface BrowserSession {
  readonly id: string;
  readonly created_at: string;
  /** To within ten minutes. */
  readonly last_seen_at: string;
  readonly expires_at: string;
  readonly browser: string;
}

const LIFE_MS = 30 * 24 * 60 * 60_000;
const SEEN_EVERY_MS = 10 * 60_000;
const MOST = 100;
const ID_LENGTH = 16;

/** Browsers that have signed in. Only hashes of their secrets are kept; a session that was ended or has expired is
 *  refused from the next request on. */
export class SessionStore {
  readonly #directory: string;
  readonly #now: () => number;

  constructor(home: string, now: () => number = Date.now) {
    this.#directory = join(home, 'browser-sessions');
    this.#now = now;
  }

  /** Makes a session; its secret is given out once and never again. */
  open(browser: string): { readonly secret: string; readonly expires_at: string } {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    this.#makeRoom();
    const secret = randomBytes(32).toString('base64url');
    const now = this.#now();
    const entry: SessionEntry = {
      hash: hashOf(secret),
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + LIFE_MS).toISOString(),
      browser,
    };
    writeFileAtomic(this.#file(entry.hash), JSON.stringify(entry));
    this.#note(this.#file(entry.hash));
    return { secret, expires_at: entry.expires_at };
  }

  /** The id of the session that the secret belongs to; undefined when there is none, or it has expired. */
  find(secret: string): string | undefined {
    const hash = hashOf(secret);
    const file = this.#file(hash);
    const entry = readEntry(file);
    if (entry?.hash !== hash || !this.#isFresh(entry)) return undefined;
    this.#note(file);
    return idOf(entry);
  }

  /** Those that have not expired, the newest first. */
  list(): readonly BrowserSession[] {
    return this.#files()
      .flatMap((file) => {
        const entry = readEntry(file);
        if (entry === undefined || !this.#isFresh(entry)) return [];
        const { hash: _, ...shown } = entry;
        const seen = statSync(file, { throwIfNoEntry: false })?.mtime ?? new Date(entry.created_at);
        return [{ ...shown, id: idOf(entry), last_seen_at: seen.toISOString() }];
      })
      .toSorted((a, b) => b.created_at.localeCompare(a.created_at) || a.id.localeCompare(b.id));
  }

  /** Ends a session; false when there is none with this id. */
  end(id: string): boolean {
    const found = this.#files().find((file) => {
      const entry = readEntry(file);
      return entry !== undefined && idOf(entry) === id && this.#isFresh(entry);
    });
    if (found !== undefined) rmSync(found, { force: true });
    return found !== undefined;
  }

  /** When it was last used is the time of its file: changing that cannot bring back a session that was just ended. */
  #note(file: string): void {
    const now = this.#now();
    const seen = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (Math.abs(now - seen) < SEEN_EVERY_MS) return;
    try {
      utimesSync(file, now / 1000, now / 1000);
    } catch {
      // It was just ended, or nothing can be written: then the time is an older one.
    }
  }

  #makeRoom(): void {
    const files = this.#files();
    const known = files.map((file) => ({ file, entry: readEntry(file) }));
    const fresh = known
      .filter(({ entry }) => entry !== undefined && this.#isFresh(entry))
      .toSorted((a, b) => (a.entry?.created_at ?? '').localeCompare(b.entry?.created_at ?? ''));
    const kept = new Set(fresh.slice(-(MOST - 1)).map(({ file }) => file));
    for (const file of files) if (!kept.has(file)) rmSync(file, { force: true });
  }

  #files(): readonly string[] {
    try {
      return readdirSync(this.#directory).map((name) => join(this.#directory, name));
    } catch {
      return [];
    }
  }

  #isFresh({ expires_at }: SessionEntry): boolean {
    return Date.parse(expires_at) > this.#now();
  }

  #file(hash: string): string {
    return join(this.#directory, `${hash.slice(0, 32)}.json`);
  }
}

/** A part of the hash: nobody finds a secret by it. */
function idOf({ hash }: SessionEntry): string {
  return hash.slice(0, ID_LENGTH);
}

/** A file that is damaged, or was just removed, is nobody's session. */
function readEntry(file: string): SessionEntry | undefined {
  try {
    return entrySchema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
