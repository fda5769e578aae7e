import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { joinSignals } from '../join-signals.ts';

/** Notices writes to a database by any process, where the system can watch files. A write is seen before its transaction
 *  is complete, and none may be seen at all: the database itself has to be asked, also now and then. */
export class WriteWatch implements Disposable {
  readonly #watcher: FSWatcher | undefined;
  #written = false;
  #wake: (() => void) | undefined;

  constructor(file: string) {
    const names = [basename(file), `${basename(file)}-wal`];
    this.#watcher = watchDirectory(dirname(file), (changed) => {
      if (!names.includes(changed)) return;
      this.#written = true;
      this.#wake?.();
    });
  }

  /** Waits for a write; false when there was none in time. Rejects when the signal is aborted. */
  async next(timeout_ms: number, signal: AbortSignal): Promise<boolean> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    if (this.#written) woken.abort();
    using joined = joinSignals(signal, woken.signal);
    try {
      await delay(timeout_ms, undefined, { signal: joined.signal });
    } catch (thrown) {
      if (signal.aborted || !this.#written) throw thrown;
    } finally {
      this.#wake = undefined;
    }
    const written = this.#written;
    this.#written = false;
    return written;
  }

  [Symbol.dispose](): void {
    this.#watcher?.close();
  }
}

/** Undefined where the system cannot, or has too many watches. */
function watchDirectory(directory: string, changed: (name: string) => void): FSWatcher | undefined {
  try {
    const watcher = watch(directory, { persistent: false }, (event, name) => {
      // A reader makes and removes files beside the database, which is not a write.
      if (event === 'change' && name !== null) changed(name);
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
