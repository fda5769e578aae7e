import type { Store } from './store.ts';

const ANSWERS_LIMIT = 5_000;

interface Answer {
  readonly etag: string;
  readonly data: unknown;
}

/** What forges answered and asked for, so that each process of a fleet asks them as politely as the one before. */
export class ForgeStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  answer(request: string): Answer | undefined {
    const row = this.#store.get('SELECT etag, data FROM forge_answers WHERE request = ?', request);
    if (row === undefined) return undefined;
    const data: unknown = JSON.parse(String(row['data']));
    return { etag: String(row['etag']), data };
  }

  keepAnswer(request: string, { etag, data }: Answer): void {
    this.#store.run(
      'INSERT OR REPLACE INTO forge_answers (request, etag, data, at) VALUES (?, ?, ?, ?)',
      request,
      etag,
      JSON.stringify(data),
      Date.now(),
    );
    this.#store.run(
      `DELETE FROM forge_answers WHERE request IN
         (SELECT request FROM forge_answers ORDER BY at DESC LIMIT -1 OFFSET ${ANSWERS_LIMIT})`,
    );
  }

  pausedUntil(host: string): number {
    return Number(this.#store.get('SELECT until FROM forge_pauses WHERE host = ?', host)?.['until'] ?? 0);
  }

  pause(host: string, until: number): void {
    this.#store.run('INSERT OR REPLACE INTO forge_pauses (host, until) VALUES (?, ?)', host, until);
  }
}
