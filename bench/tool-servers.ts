import { readFileSync } from 'node:fs';
import { builtEdition } from './editions.ts';
import { alternate, megabytes, ratioRow, skippedRow, timed, type Row } from './measure.ts';
import type { Stage } from './stage.ts';
import { modernCaller } from './tools/callers.ts';
import { ECHO, startFleet, type Gateway } from './tools/gateways.ts';
import { HttpWire } from './tools/http-wire.ts';

const SERVERS = 50;
const TOOLS = 20;
const STARTED = 20;
const AT_ONCE = 16;
const MANY = 300_000;
/** By then the heap has taken the size that it keeps. */
const SETTLED = 200_000;
const [command, ...args] = ECHO;

/** What many upstream servers cost: to list their tools, to start them beside one that hangs, to keep them, to call them often. */
export async function toolServers(stage: Stage): Promise<readonly Row[]> {
  return [...(await listing(stage)), await starting(stage), await calling(stage)];
}

async function listing(stage: Stage): Promise<readonly Row[]> {
  const edition = await builtEdition(stage);
  const one = { command, args: [...args, String(TOOLS)] };
  const many = Object.fromEntries(Array.from({ length: SERVERS }, (_, index) => [`s${index}`, one]));
  await using few = await startFleet(stage, edition, { name: 'tool-list-1', mcpServers: { s0: one } });
  await using fleet = await startFleet(stage, edition, { name: 'tool-list-50', mcpServers: many });
  await untilListed(few, TOOLS);
  const before = residentKilobytes(few.pid);
  const bytes = await untilListed(fleet, SERVERS * TOOLS);
  const figures = await alternate(
    { rounds: 15, warmups: 3 },
    { ours: () => timed(() => listTools(fleet)), peer: () => timed(() => listTools(few)) },
  );
  const each = (residentKilobytes(fleet.pid) - before) / (SERVERS - 1);
  return [
    ratioRow(
      {
        measure: `tools/list of ${SERVERS} servers with ${SERVERS * TOOLS} tools`,
        peer: `of one server with ${TOOLS}`,
        how: `over HTTP with a token, ${(bytes / 1024).toFixed(0)} KB, all servers awake; 15 rounds`,
      },
      { ours: figures.ours.median, peer: figures.peer.median },
    ),
    process.platform === 'linux'
      ? {
          measure: 'memory of fleet serve for one upstream server more',
          ours: megabytes(each),
          peer: `fleet serve with one: ${megabytes(before)}`,
          ratio: each / before,
          target: null,
          met: null,
          how: `resident memory of fleet serve with ${SERVERS} servers of ${TOOLS} tools each less that with one, after their lists were read, by the number of servers; the servers' own processes are not in it`,
        }
      : skippedRow('memory of fleet serve for one upstream server more', 'needs /proc of Linux'),
  ];
}

async function starting(stage: Stage): Promise<Row> {
  const edition = await builtEdition(stage);
  const good = { command, args };
  const all = Object.fromEntries(Array.from({ length: STARTED - 1 }, (_, index) => [`s${index}`, good]));
  const hangs = { command: 'sleep', args: ['3600'], timeout: 30_000 };
  let round = 0;
  const ready = async (mcpServers: Readonly<Record<string, object>>): Promise<number> => {
    const began = performance.now();
    await using fleet = await startFleet(stage, edition, { name: `tool-start-${round++}`, mcpServers });
    await untilListed(fleet, STARTED - 1);
    return performance.now() - began;
  };
  const figures = await alternate(
    { rounds: 3, warmups: 1 },
    { ours: () => ready({ ...all, hangs }), peer: () => ready(all) },
  );
  return ratioRow(
    {
      measure: `start with ${STARTED} servers of which one hangs`,
      peer: 'without the one that hangs',
      how: 'from the start of fleet serve, with nothing remembered, until the tools of all others are listed; 3 rounds',
    },
    { ours: figures.ours.median, peer: figures.peer.median },
    1.3,
  );
}

/** Memory is read at two moments of one run: what is kept for each call would show. */
async function calling(stage: Stage): Promise<Row> {
  const measure = `memory of fleet serve over ${MANY.toLocaleString('en')} calls of an upstream tool`;
  if (process.platform !== 'linux') return skippedRow(measure, 'needs /proc of Linux');
  const mcpServers = { echo: { command, args } };
  await using fleet = await startFleet(stage, await builtEdition(stage), { name: 'tool-many', mcpServers });
  await untilListed(fleet, 1);
  using caller = await modernCaller(fleet, AT_ONCE);
  let made = 0;
  const until = async (count: number): Promise<void> => {
    const work = async (): Promise<void> => {
      while (made < count) await caller.call(`value-${made++}`);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };
  await until(SETTLED);
  const early = residentKilobytes(fleet.pid);
  await until(MANY);
  const late = residentKilobytes(fleet.pid);
  return {
    measure,
    ours: megabytes(late),
    peer: `after the first ${SETTLED.toLocaleString('en')}: ${megabytes(early)}`,
    ratio: late / early,
    target: '≤ 1.15 ×',
    met: late <= 1.15 * early,
    how: `resident memory, ${AT_ONCE} calls in flight, with audit, metrics and approval rules; in a run of 1,000,000 calls whose garbage was collected at every 100,000 (docs/tools.md) what was alive stayed at 26 MB: the rest is what V8 keeps to work in`,
  };
}

const LIST = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

async function listTools({ port, headers = {} }: Gateway): Promise<string> {
  using wire = await HttpWire.open(port);
  const own = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' };
  return (await wire.post('/mcp', { ...headers, ...own }, LIST)).body;
}

/** The size of the list, once it has so many tools of upstream servers. */
async function untilListed(gateway: Gateway, tools: number): Promise<number> {
  for (;;) {
    const text = await listTools(gateway);
    if ([...text.matchAll(/__echo/g)].length >= tools) return text.length;
  }
}

function residentKilobytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes);
}
