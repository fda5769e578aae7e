import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { waitForLease } from '../../platform/database/lease.ts';
import { writeFileAtomic } from '../../platform/write-file.ts';
import { isObject } from '../../wire/json-rpc.ts';
import type { Offer } from '../servers/offers.ts';
import type { ServerDefinition } from '../servers/server-definition.ts';
import { hintsIn, stricterHints, withHints, type Hint, type Hints } from './stricter-hints.ts';

const LOCK_WAIT_MS = 2_000;

/** A tool with the strictest hints that it ever gave, until a person accepts looser ones. */
export interface HeldOffer {
  readonly tool: Offer;
  /** The hints that are looser now, and do not count yet. */
  readonly loosened: readonly Hint[];
}

type Seen = ReadonlyMap<string, Hints>;
type Place = Pick<ServerDefinition, 'name' | 'command' | 'args' | 'cwd' | 'url'>;

interface Known {
  readonly stamp: string;
  readonly seen: Seen;
}

/** Remembers the hints of the tools of each server, for every process of the home and from one start to the next: a
 *  server must not get a tool past the approval by dropping a hint. */
export class SeenHints {
  readonly #directory: string;
  readonly #known = new Map<string, Known>();

  constructor(home: string) {
    this.#directory = join(home, 'tools', 'hints');
  }

  /** The tools as they are offered. Stricter hints count at once. */
  hold(server: Place, tools: readonly Offer[]): readonly HeldOffer[] {
    const key = keyOf(server);
    const before = this.#read(key).seen;
    const now = merged(before, tools);
    const seen = isSame(before, now) ? before : this.#write(key, (latest) => merged(latest, tools));
    return tools.map((tool) => {
      const given = hintsIn(tool['annotations']);
      const { hints, loosened } = stricterHints(seen.get(tool.name) ?? given, given);
      if (loosened.length === 0) return { tool, loosened };
      return { tool: { ...tool, annotations: withHints(tool['annotations'], hints) }, loosened };
    });
  }

  /** From now on the hints of these tools count as they are. */
  accept(server: Place, tools: readonly Offer[]): void {
    const given = tools.map(({ name, annotations }) => [name, hintsIn(annotations)] as const);
    // Tools that are not there keep their hints: they may come back.
    this.#write(keyOf(server), (latest) => new Map([...latest, ...given]));
  }

  /** True when another process has changed what is known since it was last used here. */
  get isStale(): boolean {
    return [...this.#known].some(([key, { stamp }]) => this.#stamp(key) !== stamp);
  }

  #read(key: string): Known {
    const known = this.#known.get(key);
    const stamp = this.#stamp(key);
    if (known !== undefined && known.stamp === stamp) return known;
    const read = { stamp, seen: readSeen(this.#file(key)) ?? known?.seen ?? new Map<string, Hints>() };
    this.#known.set(key, read);
    return read;
  }

  /** Where it cannot be written, it holds for as long as this process lives. */
  #write(key: string, change: (latest: Seen) => Seen): Seen {
    let seen: Seen | undefined;
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      using _lock = waitForLease(join(this.#directory, 'lock.db'), LOCK_WAIT_MS);
      seen = change(this.#read(key).seen);
      writeFileAtomic(this.#file(key), JSON.stringify(Object.fromEntries(seen)));
    } catch {
      seen ??= change(this.#read(key).seen);
    }
    this.#known.set(key, { stamp: this.#stamp(key), seen });
    return seen;
  }

  #stamp(key: string): string {
    const stat = statSync(this.#file(key), { throwIfNoEntry: false });
    return stat === undefined ? '' : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
  }

  #file(key: string): string {
    return join(this.#directory, `${key}.json`);
  }
}

/** Of what the configuration says, the program or the address; its secrets change without it being another server. */
function keyOf({ name, command, args, cwd, url }: Place): string {
  return createHash('sha256')
    .update(JSON.stringify([name, command, args, cwd, url]))
    .digest('hex')
    .slice(0, 24);
}

function merged(seen: Seen, tools: readonly Offer[]): Seen {
  const given = tools.map(({ name, annotations }) => {
    const now = hintsIn(annotations);
    return [name, stricterHints(seen.get(name) ?? now, now).hints] as const;
  });
  return new Map([...seen, ...given]);
}

function isSame(one: Seen, other: Seen): boolean {
  return (
    one.size === other.size &&
    [...other].every(([name, hints]) => JSON.stringify(one.get(name)) === JSON.stringify(hints))
  );
}

/** Undefined when the file is not there, or damaged. */
function readSeen(file: string): Seen | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isObject(value)) return undefined;
    return new Map(Object.entries(value).map(([tool, hints]) => [tool, hintsIn(hints)]));
  } catch {
    return undefined;
  }
}
