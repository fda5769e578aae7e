import { randomUUID } from 'node:crypto';
import { agentPaths } from '../src/backends/local/records/paths.ts';
import type { FactBody } from '../src/domain/fact.ts';
import { FLEET_ACTOR } from '../src/domain/principal.ts';
import { systemClock } from '../src/platform/clock.ts';
import { Journal } from '../src/runner/journal/journal.ts';
import { JournalReader } from '../src/runner/journal/journal-reader.ts';
import { sourceEdition } from './editions.ts';
import { fillStore } from './fill-store.ts';
import { alternate, milliseconds, ratioRow, timedEach, type Row } from './measure.ts';
import type { Stage } from './stage.ts';

const FEW = 100;
const MANY = 100_000;
const PAGE_SIZE = 20;
const CALLS = 100;
const LIMIT = 2;

/** A page of a long history against the same page of a short one. */
export async function history100000(stage: Stage): Promise<readonly Row[]> {
  const place = stage.place('history');
  const [few, many] = fillStore(place, { agents: 2, journals: 2, repository: stage.repository });
  if (few === undefined || many === undefined) throw new Error('no journals');
  const files = [few, many].map((agent) => agentPaths(place.home, agent.workspace_id).journal);
  const [fewFile = '', manyFile = ''] = files;
  addTasks(fewFile, FEW);
  addTasks(manyFile, MANY);

  using short = openReader(fewFile, FEW);
  using long = openReader(manyFile, MANY);
  await using bench = sourceEdition().bench.open(place);
  const byReader = await worstPage(
    (page) => short.history({ page, page_size: PAGE_SIZE }),
    (page) => long.history({ page, page_size: PAGE_SIZE }),
  );
  const byFleet = await worstPage(
    (page) => bench.fleet.history(few.name, { page, page_size: PAGE_SIZE }),
    (page) => bench.fleet.history(many.name, { page, page_size: PAGE_SIZE }),
  );
  const how = (what: string, pages: string): string =>
    `${what} of ${PAGE_SIZE} rows, ${CALLS} calls a round, 10 rounds; the worst of first, middle and last page (${pages})`;
  return [
    ratioRow(
      {
        measure: `history page at ${MANY.toLocaleString('en')} tasks, journal`,
        peer: `at ${FEW} tasks`,
        how: how('JournalReader.history on an open journal', byReader.pages),
      },
      byReader,
      LIMIT,
    ),
    ratioRow(
      {
        measure: `history page at ${MANY.toLocaleString('en')} tasks, fleet`,
        peer: `at ${FEW} tasks`,
        how: how(
          'fleet.history in process, which finds the agent and opens its journal each time,',
          byFleet.pages,
        ),
      },
      byFleet,
      LIMIT,
    ),
  ];
}

type ReadPage = (page: number) => unknown;

async function worstPage(short: ReadPage, long: ReadPage) {
  const places = [
    { name: 'first', of: () => 1 },
    { name: 'middle', of: (tasks: number) => Math.ceil(tasks / PAGE_SIZE / 2) },
    { name: 'last', of: (tasks: number) => Math.ceil(tasks / PAGE_SIZE) },
  ];
  const found = [];
  for (const { name, of } of places) {
    const { ours, peer } = await alternate(
      { rounds: 10, warmups: 3 },
      {
        ours: () => timedEach(CALLS, () => long(of(MANY))),
        peer: () => timedEach(CALLS, () => short(of(FEW))),
      },
    );
    found.push({ name, ours: ours.median, peer: peer.median });
  }
  const [worst] = found.toSorted((a, b) => b.ours / b.peer - a.ours / a.peer);
  if (worst === undefined) throw new Error('no page');
  const pages = found.map(
    ({ name, ours, peer }) => `${name} ${milliseconds(ours)} and ${milliseconds(peer)}`,
  );
  return { ...worst, pages: pages.join(', ') };
}

/** Tasks that were accepted, started and ended, written as a runner writes them but many in one transaction. */
function addTasks(file: string, count: number): void {
  using journal = new Journal(file, systemClock);
  const batch = 1000;
  for (let done = 0; done < count; done += batch) {
    const bodies = Array.from({ length: Math.min(batch, count - done) }, (_, index) =>
      taskFacts(done + index),
    );
    journal.append(FLEET_ACTOR, ...bodies.flat());
  }
}

function taskFacts(index: number): readonly FactBody[] {
  const task_id = randomUUID();
  const message = `task ${index}: make the failing test pass and say what was wrong`;
  const reason = 'the program ended with exit code 0';
  return [
    { kind: 'task.accepted', task_id, message, source: 'human', front: false },
    { kind: 'task.started', task_id, message },
    { kind: 'task.ended', task_id, state: 'complete', reason, exit_code: 0 },
  ];
}

function openReader(file: string, tasks: number): JournalReader {
  const reader = JournalReader.open(file);
  if (reader === undefined) throw new Error('the journal cannot be read');
  const { rows, total_count } = reader.history({ page: 1, page_size: PAGE_SIZE });
  if (rows.length !== PAGE_SIZE || total_count < tasks)
    throw new Error(`the journal has ${total_count} tasks`);
  return reader;
}
