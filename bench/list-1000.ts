import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { agentPaths } from '../src/backends/local/records/paths.ts';
import { sourceEdition } from './editions.ts';
import { fillStore } from './fill-store.ts';
import { alternate, ratioRow, timed, timedEach, type Row } from './measure.ts';
import type { Stage } from './stage.ts';

const AGENTS = 1000;
const SHOWN = 50;

/** What a list and a look at one agent cost beside the bare queries that they cannot do without. */
export async function list1000(stage: Stage): Promise<readonly Row[]> {
  const place = stage.place('list-1000');
  const journaled = fillStore(place, { agents: AGENTS, journals: SHOWN, repository: stage.repository });
  await using bench = sourceEdition().bench.open(place);
  const { fleet } = bench;
  using bare = new BareQueries(place.home);
  const { total_count } = await fleet.listAgents({});
  if (total_count !== AGENTS || bare.all().length !== AGENTS) throw new Error(`${total_count} agents listed`);

  const list = await alternate(
    { rounds: 30, warmups: 10 },
    {
      ours: () => timed(() => fleet.listAgents({})),
      peer: () => timed(() => bare.all()),
    },
  );
  const show = await alternate(
    { rounds: 20, warmups: 5 },
    {
      ours: () => timedEach(SHOWN, (index) => fleet.showAgent(journaled[index]?.name ?? '')),
      peer: () => timedEach(SHOWN, (index) => bare.one(journaled[index]?.workspace_id ?? '')),
    },
  );
  return [
    ratioRow(
      {
        measure: `list_agents, ${AGENTS} agents`,
        peer: 'one bare SELECT of the same rows',
        how: `listAgents({}) in process: 85 % asleep, 10 % idle, 5 % busy, those awake with a live process as runner; against node:sqlite .all() of the same columns, nothing parsed; 30 rounds`,
      },
      { ours: list.ours.median, peer: list.peer.median },
    ),
    ratioRow(
      {
        measure: `show_agent, of ${AGENTS} agents`,
        peer: 'bare SELECTs of the same row and its journal',
        how: `showAgent in process; against node:sqlite .get() of the row, its journal opened, state and metadata read, closed; ${SHOWN} agents a round, 20 rounds`,
      },
      { ours: show.ours.median, peer: show.peer.median },
    ),
  ];
}

/** What no list reads: the order, the sequence, and what an agent was made with. */
const NOT_LISTED = ['name_key', 'seq', 'origin'];
const FROM = 'FROM agents LEFT JOIN summaries USING (workspace_id)';

class BareQueries implements Disposable {
  readonly #home: string;
  readonly #database: DatabaseSync;
  readonly #all: ReturnType<DatabaseSync['prepare']>;
  readonly #one: ReturnType<DatabaseSync['prepare']>;

  constructor(home: string) {
    this.#home = home;
    this.#database = new DatabaseSync(join(home, 'store.db'), { readOnly: true });
    const names = this.#database
      .prepare(
        `SELECT name FROM pragma_table_info('agents') UNION SELECT name FROM pragma_table_info('summaries')`,
      )
      .all()
      .map((row) => String(row['name']));
    const columns = names.filter((name) => !NOT_LISTED.includes(name)).join(', ');
    this.#all = this.#database.prepare(`SELECT ${columns} ${FROM} ORDER BY name_key`);
    this.#one = this.#database.prepare(`SELECT ${columns}, origin ${FROM} WHERE workspace_id = ?`);
  }

  all(): readonly unknown[] {
    return this.#all.all();
  }

  one(workspaceId: string): unknown {
    const journal = new DatabaseSync(agentPaths(this.#home, workspaceId).journal, { readOnly: true });
    const state = journal.prepare(`SELECT value FROM meta WHERE key = 'state'`).get();
    const metadata = journal.prepare('SELECT key, value FROM metadata ORDER BY key').all();
    journal.close();
    return [this.#one.get(workspaceId), state, metadata];
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
