import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createAgent, untilStatus } from './agents.ts';
import type { OpenedBench } from './opened-bench.ts';
import { builtEdition } from './editions.ts';
import { alternate, median, milliseconds, ratioRow, type Row } from './measure.ts';
import type { Stage } from './stage.ts';

const ROUNDS = 9;
/** Below the limit of an agent's queue. */
const CALLS = 80;
const TEXT = 'make the failing test pass and say what was wrong';

/** How fast a live runner takes tasks beside the least that a durable promise costs on this disk. */
export async function acceptTask(stage: Stage): Promise<readonly Row[]> {
  const place = stage.place('accept');
  await using bench = (await builtEdition(stage)).bench.open(place);
  const name = await createAgent(bench, 'sleep 600');
  await untilStatus(bench.fleet, name, 'busy');
  using bare = new BareInserts(join(place.cwd, 'bare.db'));
  const rates: Record<'ours' | 'peer', number[]> = { ours: [], peer: [] };
  const side = async (which: keyof typeof rates, work: () => unknown): Promise<number> => {
    const taken: number[] = [];
    for (let call = 0; call < CALLS; call++) {
      const start = performance.now();
      await work();
      taken.push(performance.now() - start);
    }
    rates[which].push((1000 * CALLS) / taken.reduce((sum, each) => sum + each, 0));
    return median(taken);
  };
  const figures = await alternate(
    { rounds: ROUNDS },
    {
      ours: async () => {
        const taken = await side('ours', () =>
          bench.call('start_agent_task', {
            agent_name: name,
            task_description: TEXT,
            when_busy: 'queue',
          }),
        );
        await emptyQueue(bench, name);
        return taken;
      },
      peer: () => side('peer', () => bare.insert()),
    },
  );
  const perSecond = (which: keyof typeof rates): string => `${median(rates[which]).toFixed(0)}/s`;
  const row = ratioRow(
    {
      measure: 'start_agent_task accepted by a live runner (p50)',
      peer: 'bare durable SQLite insert',
      how: `one caller, in process, ${CALLS} calls a round queued behind a running task; against single inserts of the same text (WAL, synchronous=FULL) on the same disk; ${ROUNDS} rounds; ${perSecond('ours')} and ${perSecond('peer')}`,
    },
    { ours: figures.ours.median, peer: figures.peer.median },
  );
  return [{ ...row, ours: `${milliseconds(figures.ours.median)}, ${perSecond('ours')}` }];
}

async function emptyQueue(bench: OpenedBench, name: string): Promise<void> {
  const { rows } = await bench.fleet.history(name, { page: 1, page_size: 100 });
  for (const { id, state } of rows) {
    if (state === 'queued') await bench.call('cancel_agent_task', { agent_name: name, task_id: id });
  }
}

class BareInserts implements Disposable {
  readonly #database: DatabaseSync;
  readonly #insert: ReturnType<DatabaseSync['prepare']>;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    this.#database.exec('CREATE TABLE tasks (n INTEGER PRIMARY KEY, id TEXT, message TEXT, created_at TEXT)');
    this.#insert = this.#database.prepare('INSERT INTO tasks (id, message, created_at) VALUES (?, ?, ?)');
  }

  insert(): void {
    this.#insert.run(randomUUID(), TEXT, new Date().toISOString());
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
