import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { checkAgentName } from '../../domain/values/agent-name.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';
import { SCOPES, type Scope } from '../../domain/principal.ts';
import { writeFileAtomic } from '../../platform/write-file.ts';

const entrySchema = z.object({
  name: z.string(),
  hash: z.string(),
  scopes: z.array(z.enum(SCOPES as readonly [Scope, ...Scope[]])),
  source: z.enum(['human', 'ai']),
  view: z.string().optional(),
  created_at: z.iso.datetime(),
});

export type TokenEntry = z.output<typeof entrySchema>;

export interface TokenWish {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly source: 'human' | 'ai';
  /** Good at /mcp alone, for the tools of this view. */
  readonly view?: string | undefined;
}

/** Tokens beside the fleet's own, each with a name, its scopes and the source that its tasks have. Only their hashes
 *  are kept; a token that is made or revoked counts from the next request on. */
export class TokenStore {
  readonly #directory: string;

  constructor(home: string) {
    this.#directory = join(home, 'tokens');
  }

  /** Makes a token and returns it: it is shown once and never again. */
  make({ name, scopes, source, view }: TokenWish): string {
    checkTokenName(name);
    if (existsSync(this.#file(name))) {
      throw new FleetError(
        'CONFLICT',
        `There is a token ${quote(name)} already. Revoke it first, or choose another name.`,
        {
          field: 'name',
        },
      );
    }
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const token = randomBytes(32).toString('base64url');
    const entry: TokenEntry = {
      name,
      hash: hashOf(token),
      scopes: [...scopes],
      source,
      ...(view === undefined ? {} : { view }),
      created_at: new Date().toISOString(),
    };
    writeFileAtomic(this.#file(name), JSON.stringify(entry));
    return token;
  }

  revoke(name: string): void {
    if (!existsSync(this.#file(checkTokenName(name)))) {
      throw new FleetError('NOT_FOUND', `There is no token ${quote(name)}.`, {
        field: 'name',
        tokens: this.list().map((each) => each.name),
      });
    }
    rmSync(this.#file(name));
  }

  list(): readonly TokenEntry[] {
    if (!existsSync(this.#directory)) return [];
    return readdirSync(this.#directory)
      .filter((file) => file.endsWith('.json'))
      .flatMap((file) => readEntry(join(this.#directory, file)));
  }

  /** Hashes are compared, so that no comparison takes longer for a better guess. */
  find(token: string): TokenEntry | undefined {
    const hash = hashOf(token);
    return this.list().find((entry) => entry.hash === hash);
  }

  #file(name: string): string {
    return join(this.#directory, `${name.toLowerCase()}.json`);
  }
}

/** A file that is damaged, or was just revoked, is nobody's token, and no other's trouble. */
function readEntry(file: string): readonly TokenEntry[] {
  try {
    const parsed = entrySchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return [];
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function checkTokenName(name: string): string {
  return checkAgentName(name, 'name', 'token name');
}
