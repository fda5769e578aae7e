import type { Browser } from 'playwright-core';
import { setTimeout as delay } from 'node:timers/promises';
import { serve } from '../../scripts/soak/served.ts';
import { EventLog } from '../../src/store/event-log.ts';
import { Store } from '../../src/store/store.ts';
import { builtEdition } from '../editions.ts';
import { fillStore, type FilledAgent } from '../fill-store.ts';
import { megabytes, type Row } from '../measure.ts';
import type { Stage } from '../stage.ts';
import { openView } from './open-view.ts';

const AGENTS = 20;
/** Ten agents that each report every second, for an hour. */
const EVENTS = 36_000;
const SAMPLES = 6;
const BATCH = 60;
const BATCH_PAUSE_MS = 20;
const LIMIT = 1.2;

/** What the page keeps of the events that it has seen. */
export async function heapOverEvents(stage: Stage, browser: Browser): Promise<readonly Row[]> {
  const place = stage.place('page-heap');
  const options = { agents: AGENTS, journals: AGENTS, repository: stage.repository, asleep: true };
  const agents = fillStore(place, options);
  await using served = await serve(place, (await builtEdition(stage)).launcher);
  await using view = await openView(browser, served, '/fleet');
  await view.page.locator('.agent-line').first().waitFor();
  using store = new Store(place.home);
  const events = new EventLog(store);
  const session = await view.page.context().newCDPSession(view.page);
  const heap = async (): Promise<number> => {
    await delay(1_000);
    await session.send('HeapProfiler.collectGarbage');
    return (await session.send('Runtime.getHeapUsage')).usedSize / 1024;
  };
  const samples: number[] = [];
  let seq = 1_000;
  for (let sample = 0; sample < SAMPLES; sample++) {
    for (let sent = 0; sent < EVENTS / SAMPLES; sent += BATCH) {
      store.transaction(() => {
        for (let each = 0; each < BATCH; each++) addReport(events, agents, (seq += 1));
      });
      await delay(BATCH_PAUSE_MS);
    }
    samples.push(await heap());
  }
  const [first = Number.NaN] = samples;
  const last = samples.at(-1) ?? Number.NaN;
  return [
    {
      measure: `heap of the page after ${EVENTS} events`,
      ours: megabytes(last),
      peer: `after the first ${EVENTS / SAMPLES}: ${megabytes(first)}`,
      ratio: last / first,
      target: `≤ ${LIMIT} ×`,
      met: last / first <= LIMIT,
      how: `JavaScript heap after a forced garbage collection, the fleet of ${AGENTS} agents shown, as many events as ten agents make in an hour that report every second, replayed as fast as the page takes them; samples: ${samples.map(megabytes).join(', ')}`,
    },
  ];
}

function addReport(events: EventLog, agents: readonly FilledAgent[], seq: number): void {
  const agent = agents[seq % agents.length];
  if (agent === undefined) return;
  const change = {
    seq,
    at: new Date().toISOString(),
    kind: 'report',
    data: { message: `report ${seq}` },
  } as const;
  events.add(agent, [change]);
}
