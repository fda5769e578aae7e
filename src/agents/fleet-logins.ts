import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../platform/write-file.ts';

/** Logins that belong to this fleet, and not to its user: one file for each coding agent, for this user alone. */
export class FleetLogins {
  readonly #directory: string;

  constructor(home: string) {
    this.#directory = join(home, 'logins');
  }

  /** The token; undefined without a login. */
  read(agent: string): string | undefined {
    try {
      return readFileSync(this.#file(agent), 'utf8').trim() || undefined;
    } catch (thrown) {
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined;
      throw thrown;
    }
  }

  write(agent: string, token: string): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    writeFileAtomic(this.#file(agent), `${token}\n`);
  }

  /** False when there was none. */
  remove(agent: string): boolean {
    const found = this.read(agent) !== undefined;
    rmSync(this.#file(agent), { force: true });
    return found;
  }

  #file(agent: string): string {
    return join(this.#directory, agent);
  }
}
