import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FLEET_ACTOR } from '../src/domain/principal.ts';
import { systemClock } from '../src/platform/clock.ts';
import { Journal } from '../src/runner/journal/journal.ts';
import { alternate, type Row } from './measure.ts';
import type { Stage } from './stage.ts';

const ROUNDS = 15;
const TASKS = 100;
/** Facts of a task: accepted, started, ended. */
const FACTS = 3;
const TEXT = 'make the failing test pass and say what was wrong';
const LEAST = 0.5;

/** Facts that survive a power cut, each in the journal with all that it adds up to, beside as many bare inserts. */
export async function journalRate(stage: Stage): Promise<readonly Row[]> {
  const { cwd } = stage.place('journal-rate');
  using journal = new Journal(join(cwd, 'journal.db'), systemClock);
  const bare = new DatabaseSync(join(cwd, 'bare.db'));
  bare.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  bare.exec('CREATE TABLE facts (seq INTEGER PRIMARY KEY, at TEXT, body TEXT)');
  const insert = bare.prepare('INSERT INTO facts (at, body) VALUES (?, ?)');
  const bodyOf = (task_id: string) => ({ kind: 'task.accepted', task_id, message: TEXT, source: 'human' });
  const { ours, peer } = await alternate(
    { rounds: ROUNDS },
    {
      ours: () =>
        rate(() => {
          const task_id = randomUUID();
          journal.append(FLEET_ACTOR, {
            kind: 'task.accepted',
            task_id,
            message: TEXT,
            source: 'human',
            front: false,
          });
          journal.append(FLEET_ACTOR, { kind: 'task.started', task_id, message: TEXT });
          journal.append(FLEET_ACTOR, { kind: 'task.ended', task_id, state: 'complete', reason: 'done' });
        }),
      peer: () =>
        rate(() => {
          for (let fact = 0; fact < FACTS; fact++)
            insert.run(new Date().toISOString(), JSON.stringify(bodyOf(randomUUID())));
        }),
    },
  );
  bare.close();
  return [
    {
      measure: 'durable facts a second in a journal',
      ours: `${ours.median.toFixed(0)}/s`,
      peer: `bare durable SQLite inserts: ${peer.median.toFixed(0)}/s`,
      ratio: ours.median / peer.median,
      target: `≥ ${LEAST} ×`,
      met: ours.median / peer.median >= LEAST,
      how: `task.accepted, task.started and task.ended of ${TASKS} tasks a round, each a transaction with its fact, the history row and the state (WAL, synchronous=FULL); against as many single inserts of one row with the same durability on the same disk; ${ROUNDS} rounds`,
    },
  ];
}

function rate(work: () => void): number {
  const start = performance.now();
  for (let task = 0; task < TASKS; task++) work();
  return (1000 * TASKS * FACTS) / (performance.now() - start);
}
