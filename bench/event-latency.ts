import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '../scripts/soak/served.ts';
import { createAgent, untilStatus } from './agents.ts';
import { builtEdition } from './editions.ts';
import { milliseconds, now, percentile, type Row } from './measure.ts';
import type { Stage } from './stage.ts';

const AGENTS = 100;
const EVENTS = 200;
const AT_ONCE = 8;

/** From a fact in an agent to whoever listens at /events, with a hundred live agents; beside an event that a server
 *  sends over the same wire at once. */
export async function eventLatency(stage: Stage): Promise<readonly Row[]> {
  const built = await builtEdition(stage);
  const place = stage.place('events');
  await using bench = built.bench.open(place);
  const names: string[] = [];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, turn) => {
      for (let index = turn; index < AGENTS; index += AT_ONCE) names.push(await createAgent(bench, 'true'));
    }),
  );
  for (const name of names) await untilStatus(bench.fleet, name, 'idle');
  await using served = await serve(place, built.launcher);
  const stop = new AbortController();
  const arrived = new Map<string, number>();
  const following = served
    .follow((event) => {
      if (event['kind'] === 'task.started') arrived.set(String(event['task_id']), now());
    }, stop.signal)
    .catch(() => {});
  const taken: number[] = [];
  for (let event = 0; event < EVENTS; event++) {
    const name = names[event % names.length] ?? '';
    await bench.call('start_agent_task', { agent_name: name, task_description: 'true' });
    await untilStatus(bench.fleet, name, 'idle');
    const { facts } = await bench.fleet.facts(name);
    const started = facts.findLast(({ body }) => body.kind === 'task.started');
    if (started?.body.kind !== 'task.started') throw new Error('no task has started');
    const { task_id } = started.body;
    for (const until = now() + 10_000; !arrived.has(task_id) && now() < until;)
      await new Promise((resolve) => setTimeout(resolve, 5));
    taken.push((arrived.get(task_id) ?? Number.NaN) - started.awake_ms);
  }
  stop.abort();
  await following;
  const bare = await bareLatencies();
  const [p50, p99] = [percentile(taken, 0.5), percentile(taken, 0.99)];
  return [
    {
      measure: `event in an agent to an SSE listener, ${AGENTS} live agents`,
      ours: `p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}`,
      peer: `an event sent at once over loopback: p50 ${milliseconds(percentile(bare, 0.5))}, p99 ${milliseconds(percentile(bare, 0.99))}`,
      ratio: p50 / percentile(bare, 0.5),
      target: '< 0.5 s, also p99',
      met: p99 < 500,
      how: `from the time of the fact task.started (clock shared by all processes, whole milliseconds) to the arrival of its event at a listener of \`fleet serve\`, which is woken when the store is written; ${EVENTS} tasks, one after the other; against a bare Node server that writes the event to an open response`,
    },
  ];
}

async function bareLatencies(): Promise<readonly number[]> {
  const { promise: opened, resolve } = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(': open\n\n');
    resolve(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}`);
  const reader = answer.body?.getReader();
  const response = await opened;
  await reader?.read();
  const taken: number[] = [];
  for (let event = 0; event < EVENTS; event++) {
    const start = now();
    response.write(`data: {"n":${event}}\n\n`);
    await reader?.read();
    taken.push(now() - start);
  }
  response.end();
  await reader?.cancel();
  server.close();
  return taken;
}
