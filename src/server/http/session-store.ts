import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../../platform/write-file.ts';

const entrySchema = z.object({
  hash: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});

type SessionEntry = z.output<typeof entrySchema>;

const LIFE_MS = 30 * 24 * 60 * 60_000;
const MOST = 100;

/** Browsers that have signed in. Only hashes of their secrets are kept; a session that was removed or has expired is
 *  refused from the next request on. */
export class SessionStore {
  readonly #directory: string;
  readonly #now: () => number;

  constructor(home: string, now: () => number = Date.now) {
    this.#directory = join(home, 'browser-sessions');
    this.#now = now;
  }

  /** Makes a session; its secret is given out once and never again. */
  open(): { readonly secret: string; readonly expires_at: string } {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    this.#makeRoom();
    const secret = randomBytes(32).toString('base64url');
    const now = this.#now();
    const entry: SessionEntry = {
      hash: hashOf(secret),
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + LIFE_MS).toISOString(),
    };
    writeFileAtomic(this.#file(entry.hash), JSON.stringify(entry));
    return { secret, expires_at: entry.expires_at };
  }

  /** Whether the secret is that of a session that has not expired. */
  has(secret: string): boolean {
    const hash = hashOf(secret);
    const entry = readEntry(this.#file(hash));
    return entry?.hash === hash && this.#isFresh(entry);
  }

  #makeRoom(): void {
    const files = readdirSync(this.#directory).map((name) => join(this.#directory, name));
    const known = files.map((file) => ({ file, entry: readEntry(file) }));
    const fresh = known
      .filter(({ entry }) => entry !== undefined && this.#isFresh(entry))
      .toSorted((a, b) => (a.entry?.created_at ?? '').localeCompare(b.entry?.created_at ?? ''));
    const kept = new Set(fresh.slice(-(MOST - 1)).map(({ file }) => file));
    for (const file of files) if (!kept.has(file)) rmSync(file, { force: true });
  }

  #isFresh({ expires_at }: SessionEntry): boolean {
    return Date.parse(expires_at) > this.#now();
  }

  #file(hash: string): string {
    return join(this.#directory, `${hash.slice(0, 32)}.json`);
  }
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
