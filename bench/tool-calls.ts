import { setTimeout as delay } from 'node:timers/promises';
import { builtEdition } from './editions.ts';
import { alternate, median, milliseconds, skippedRow, type Figures, type Row } from './measure.ts';
import type { Stage } from './stage.ts';
import { directCaller, modernCaller, sessionCaller, type Caller } from './tools/callers.ts';
import { ECHO, startFleet, startPeer, type Gateway } from './tools/gateways.ts';
import { PEERS } from './tools/peers.ts';

const ROUNDS = 5;
const CALLS = 1_000;
const AT_ONCE = 16;
const MANY = 4_000;
const WARM = 1_000;

interface Side {
  readonly caller: Caller;
}

/** What a call of an upstream tool costs through a fleet, through others, and without anything between. */
export async function toolCalls(stage: Stage): Promise<readonly Row[]> {
  await using closing = new AsyncDisposableStack();
  const sides: Record<string, Side> = { direct: { caller: closing.use(await directCaller(ECHO)) } };
  const [command, ...args] = ECHO;
  const fleet = closing.use(
    await startFleet(stage, await builtEdition(stage), {
      name: 'tool-calls',
      mcpServers: { echo: { command, args } },
    }),
  );
  sides['fleet'] = { caller: closing.use(await modernCaller(fleet, AT_ONCE)) };
  sides['fleet, sessions'] = { caller: closing.use(await sessionCaller(fleet, AT_ONCE)) };
  const missing: string[] = [];
  for (const peer of PEERS) {
    const gateway = await startPeer(stage, peer);
    if (gateway === undefined) missing.push(peer.name);
    else {
      closing.use(gateway);
      sides[peer.name] = { caller: closing.use(await untilCallable(gateway, peer.caller)) };
    }
  }
  for (const { caller } of Object.values(sides)) await manyAtOnce(caller, WARM);
  const each = await alternate({ rounds: ROUNDS }, taking(sides, oneByOne));
  const rates = await alternate(
    { rounds: ROUNDS },
    taking(sides, (caller) => manyAtOnce(caller, MANY)),
  );
  return [
    ...rows(sides, { each, rates }),
    ...missing.map((name) =>
      skippedRow(`a tool call through ${name}`, 'its package could not be had from the registry of npm'),
    ),
  ];
}

function rows(
  sides: Readonly<Record<string, Side>>,
  { each, rates }: { each: Record<string, Figures>; rates: Record<string, Figures> },
): readonly Row[] {
  const at = (figures: Record<string, Figures>, name: string): number => figures[name]?.median ?? Number.NaN;
  const added = (name: string): number => at(each, name) - at(each, 'direct');
  const others = Object.keys(sides).filter((name) => PEERS.some((peer) => peer.name === name));
  const nearest = others.toSorted((a, b) => added(a) - added(b))[0] ?? 'direct';
  const busiest = others.toSorted((a, b) => at(rates, b) - at(rates, a))[0] ?? 'direct';
  const shown = (name: string): string =>
    `${name} +${milliseconds(added(name))}, ${at(rates, name).toFixed(0)}/s`;
  const how = `a stdio server of a few lines called over HTTP by hand-written clients; ours with token, schema, approval rules, metrics and audit; ${CALLS} calls one after the other a round, then ${MANY} with ${AT_ONCE} in flight, all sides in turns, medians of ${ROUNDS} rounds; direct: ${milliseconds(at(each, 'direct'))}, ${at(rates, 'direct').toFixed(0)}/s; ${others.map(shown).join('; ')}; ours in a session of the old era: ${shown('fleet, sessions')}`;
  return [
    {
      measure: 'a call of an upstream tool, added p50',
      ours: `+${milliseconds(added('fleet'))}`,
      peer: `${nearest}: +${milliseconds(added(nearest))}`,
      ratio: added('fleet') / added(nearest),
      target: '≤ 0.6 ×',
      met: added('fleet') <= 0.6 * added(nearest),
      how,
    },
    {
      measure: `calls of an upstream tool, ${AT_ONCE} in flight`,
      ours: `${at(rates, 'fleet').toFixed(0)}/s`,
      peer: `${busiest}: ${at(rates, busiest).toFixed(0)}/s`,
      ratio: at(rates, 'fleet') / at(rates, busiest),
      target: '≥ 2.5 ×',
      met: at(rates, 'fleet') >= 2.5 * at(rates, busiest),
      how: 'as the row before',
    },
  ];
}

function taking(
  sides: Readonly<Record<string, Side>>,
  take: (caller: Caller) => Promise<number>,
): Record<string, () => Promise<number>> {
  return Object.fromEntries(Object.entries(sides).map(([name, { caller }]) => [name, () => take(caller)]));
}

/** The median of calls one after the other, in milliseconds. */
async function oneByOne(caller: Caller): Promise<number> {
  const took: number[] = [];
  for (let index = 0; index < CALLS; index++) {
    const start = performance.now();
    await caller.call(`value-${index}`);
    took.push(performance.now() - start);
  }
  return median(took);
}

/** Calls in a second. */
async function manyAtOnce(caller: Caller, count: number): Promise<number> {
  let next = 0;
  const start = performance.now();
  const work = async (): Promise<void> => {
    while (next < count) await caller.call(`value-${next++}`);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return (count / (performance.now() - start)) * 1_000;
}

/** A gateway that listens may still be starting the server behind it. */
async function untilCallable(
  gateway: Gateway,
  open: (place: Gateway, wires: number) => Promise<Caller>,
): Promise<Caller> {
  const until = performance.now() + 15_000;
  for (;;) {
    try {
      const caller = await open(gateway, AT_ONCE);
      await caller.call('ready');
      return caller;
    } catch (thrown) {
      if (performance.now() > until) throw thrown;
      await delay(100);
    }
  }
}
