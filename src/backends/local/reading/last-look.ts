import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { jsonIn } from '../../../domain/values/text.ts';
import { fileSign } from './file-sign.ts';
import type { Look } from './look.ts';

/** The files of a workspace as they were brought into Fleet's repository. */
export interface SeenFiles {
  readonly tree: string;
  /** Files that are too large for it. */
  readonly left_out: readonly string[];
}

/** Where the work left the base of the project. */
export interface LeftBase {
  readonly commit: string;
  readonly tree: string;
}

/** What was found out from a look. */
interface Found {
  readonly files?: SeenFiles & { readonly brought_in_at: number };
  readonly left?: LeftBase;
}

interface Kept extends Found {
  readonly sign: string;
  readonly look: Look;
}

/** File systems take their times from a clock that goes on in steps: two changes within one look like one. */
const CLOCK_STEP_MS = 20;
const MOST_BYTES = 200_000;
/** No ref leads to them: they are removed after two weeks. */
const FILES_STAY_MS = 24 * 3_600_000;

/** What was seen at the last look at an agent's repository, by any process: as long as no file of the workspace changes,
 *  it need not be looked at again. The times that this relies on are set by the kernel, not by programs. */
export class LastLook {
  readonly #file: string;
  readonly #workspace: string;
  #current: Kept | undefined;

  /** @param file lies where no agent can write. */
  constructor(file: string, workspace: string) {
    this.#file = file;
    this.#workspace = workspace;
  }

  /** `context` names all that the answer depends on beside the files of the workspace. */
  async look(context: string, now: () => Promise<Look>): Promise<Look> {
    this.#current = undefined;
    const sign = await this.#sign(context);
    const kept = sign === undefined ? undefined : this.#read();
    if (kept !== undefined && kept.sign === sign) {
      this.#current = kept;
      return kept.look;
    }
    const look = await now();
    if (sign !== undefined && (await this.#sign(context)) === sign) this.#keep({ sign, look });
    return look;
  }

  filesOf(look: Look): SeenFiles | undefined {
    const { files } = this.#of(look);
    return files !== undefined && Date.now() - files.brought_in_at < FILES_STAY_MS ? files : undefined;
  }

  leftOf(look: Look): LeftBase | undefined {
    return this.#of(look).left;
  }

  keepFiles(look: Look, files: SeenFiles): void {
    this.#add(look, { files: { ...files, brought_in_at: Date.now() } });
  }

  keepLeft(look: Look, left: LeftBase): void {
    this.#add(look, { left });
  }

  #of(look: Look): Found {
    return this.#current?.look === look ? this.#current : {};
  }

  #add(look: Look, found: Found): void {
    if (this.#current?.look === look) this.#keep({ ...this.#current, ...found });
  }

  /** Once all changes are so old that another one would have another time. */
  async #sign(context: string): Promise<string | undefined> {
    for (let attempt = 1; ; attempt++) {
      const found = fileSign(this.#workspace);
      if (found === undefined) return undefined;
      const left = found.changed_at + CLOCK_STEP_MS - Date.now();
      if (left <= 0) return createHash('sha256').update(context).update(found.sign).digest('hex');
      if (attempt === 2) return undefined;
      await delay(Math.min(left, CLOCK_STEP_MS));
    }
  }

  #read(): Kept | undefined {
    try {
      return jsonIn(readFileSync(this.#file, 'utf8')) as Kept | undefined;
    } catch {
      return undefined;
    }
  }

  #keep(kept: Kept): void {
    this.#current = kept;
    const text = JSON.stringify(kept);
    if (text.length > MOST_BYTES) return;
    const fresh = `${this.#file}.${process.pid}`;
    try {
      writeFileSync(fresh, text, { mode: 0o600 });
      renameSync(fresh, this.#file);
    } catch {
      // The next look reads the repository again.
      rmSync(fresh, { force: true });
    }
  }
}
