import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FLEET_ACTOR } from '../../../domain/principal.ts';
import { systemClock } from '../../../platform/clock.ts';
import { Journal } from '../../../runner/journal/journal.ts';
import { publishJournal, summaryOf } from '../../../runner/journal/publisher.ts';
import { EventLog } from '../../../store/event-log.ts';
import { Store } from '../../../store/store.ts';
import { StorePublisher } from './store-publisher.ts';

const AGENT = { name: 'sony', workspace_id: 'w1' };

it('a store that was replaced by an older one gets everything that it lacks', () => {
  const home = mkdtempSync(join(tmpdir(), 'fleet-publisher-'));
  using journal = new Journal(join(home, 'journal.db'), systemClock);
  const accept = (task_id: string): void => {
    journal.append(FLEET_ACTOR, {
      kind: 'task.accepted',
      task_id,
      message: task_id,
      source: 'human',
      front: false,
    });
  };
  accept('first');
  const early = summaryOf(journal);
  accept('second');
  using own = new Store(home);
  insertAgent(own);
  const publisher = new StorePublisher(own, AGENT);
  publishJournal({ journal, publisher, clock: systemClock });
  for (const end of ['', '-wal', '-shm']) rmSync(join(home, `store.db${end}`), { force: true });
  // Made by a process that had read the journal before the second task was accepted.
  using _made = new Store(home, (store) => {
    insertAgent(store);
    new StorePublisher(store, AGENT).publish(early, []);
  });
  accept('third');
  publishJournal({ journal, publisher, clock: systemClock });
  const told = new EventLog(own).since('0', 10).map(({ kind, data }) => [kind, data['task_id']]);
  expect(told).toEqual(['second', 'third'].map((task) => ['task.accepted', task]));
  rmSync(home, { recursive: true, force: true });
});

it('an agent that was deleted meanwhile gets no summary again', () => {
  const home = mkdtempSync(join(tmpdir(), 'fleet-publisher-'));
  using journal = new Journal(join(home, 'journal.db'), systemClock);
  journal.append(FLEET_ACTOR, { kind: 'agent.deleting' });
  using store = new Store(home);
  const publisher = new StorePublisher(store, AGENT);
  publishJournal({ journal, publisher, clock: systemClock });
  expect(store.all('SELECT workspace_id FROM summaries')).toEqual([]);
  insertAgent(store);
  publisher.publish(summaryOf(journal), []);
  expect(store.all('SELECT workspace_id FROM summaries')).toHaveLength(1);
  rmSync(home, { recursive: true, force: true });
});

function insertAgent(store: Store): void {
  store.run(
    `INSERT INTO agents (workspace_id, name, name_key, project, role, created_at, created_by, key, origin)
     VALUES (?, ?, ?, 'Setup', 'coder', '', '', '', '{}')`,
    AGENT.workspace_id,
    AGENT.name,
    AGENT.name,
  );
}
