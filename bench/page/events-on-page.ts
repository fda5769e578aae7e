import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { serve } from '../../scripts/soak/served.ts';
import { createAgent, untilStatus } from '../agents.ts';
import { builtEdition } from '../editions.ts';
import { milliseconds, now, percentile, type Row } from '../measure.ts';
import type { Stage } from '../stage.ts';
import { notedTimes, noteTexts, openView } from './open-view.ts';

const WORKING = 99;
const AT_ONCE = 4;
const EVENTS = 100;

/** From a task that an agent accepts to its row on the page, while ninety-nine others work; beside a page with an
 *  EventSource and nothing else. */
export async function eventsOnPage(stage: Stage, browser: Browser): Promise<readonly Row[]> {
  const built = await builtEdition(stage);
  const place = stage.place('page-events');
  await using bench = built.bench.open(place);
  const name = await createAgent(bench, 'true');
  await untilStatus(bench.fleet, name, 'idle');
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, turn) => {
      for (let index = turn; index < WORKING; index += AT_ONCE) {
        const other = await createAgent(bench, 'while :; do echo working; sleep 2; done');
        await untilStatus(bench.fleet, other, 'busy');
      }
    }),
  );
  await using served = await serve(place, built.launcher);
  const given = new Map<string, number>();
  const seen = await (async () => {
    await using view = await openView(browser, served, `/fleet?q=${name}`);
    await view.page.locator(`[data-agent="${name}"]`).waitFor();
    await noteTexts(view.page, String.raw`marker-\d+-`);
    for (let event = 0; event < EVENTS; event++) {
      const text = `marker-${event}-`;
      await bench.call('start_agent_task', { agent_name: name, task_description: `true # ${text}` });
      await view.page.getByText(text).first().waitFor();
      await untilStatus(bench.fleet, name, 'idle');
      const { facts } = await bench.fleet.facts(name);
      const accepted = facts.findLast(({ body }) => body.kind === 'task.accepted');
      given.set(text, accepted?.awake_ms ?? Number.NaN);
    }
    return await notedTimes(view.page);
  })();
  await stage.end(place.home);
  const taken = [...given].map(([text, at]) => (seen.get(text) ?? Number.NaN) - at);
  const bare = await bareTimes(browser);
  const [p50, p99] = [percentile(taken, 0.5), percentile(taken, 0.99)];
  return [
    {
      measure: `a task accepted by an agent to its row on the page, ${WORKING} others at work`,
      ours: `p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}`,
      peer: `a page with an EventSource alone: p50 ${milliseconds(percentile(bare, 0.5))}, p99 ${milliseconds(percentile(bare, 0.99))}`,
      ratio: p50 / percentile(bare, 0.5),
      target: '< 100 ms (p50)',
      met: p50 < 100,
      how: `from the time of the fact task.accepted to the first change of the document that has its text, in Chromium, on clocks that were compared; ${EVENTS} tasks, one after the other, while ${WORKING} agents print a line every 2 s; against a server that sends the text and a page that shows it`,
    },
  ];
}

async function bareTimes(browser: Browser): Promise<readonly number[]> {
  const { promise: opened, resolve } = Promise.withResolvers<ServerResponse>();
  const server = createServer((request, response) => {
    if (request.url === '/events') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      return resolve(response);
    }
    response.writeHead(200, { 'Content-Type': 'text/html' });
    return response.end(
      `<!doctype html><body><script>new EventSource('/events').onmessage = (event) => (document.body.textContent = event.data)</script>`,
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const response = await opened;
  await noteTexts(page, String.raw`marker-\d+-`);
  const given = new Map<string, number>();
  for (let event = 0; event < EVENTS; event++) {
    const text = `marker-${event}-`;
    given.set(text, now());
    response.write(`data: ${text}\n\n`);
    await page.getByText(text).first().waitFor();
  }
  const seen = await notedTimes(page);
  await page.close();
  response.end();
  server.close();
  return [...given].map(([text, at]) => (seen.get(text) ?? Number.NaN) - at);
}
