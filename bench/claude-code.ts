import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startAcpClient } from '../test/agents/acp-client.ts';
import { cachedAdapter } from '../test/agents/agents-cache.ts';
import { lendAgent } from '../test/agents/lend-agent.ts';
import { offlineEnvironment } from '../test/agents/offline-environment.ts';
import { scriptText } from '../test/support/model-server/model-script.ts';
import { startModelServer, type ModelServer } from '../test/support/model-server/model-server.ts';
import { createAgent, untilStatus } from './agents.ts';
import type { OpenedBench } from './opened-bench.ts';
import { builtEdition } from './editions.ts';
import { alternate, megabytes, ratioRow, skippedRow, timed, type Row } from './measure.ts';
import { PROJECT, type Place, type Stage } from './stage.ts';

const ROUNDS = 5;
const SHARE = 1.2;
const EXTRA_MS = 200;
const CANCEL_LIMIT = 2;
const CONTROL_LIMIT_MB = 70;
/** Until the answer streams. */
const STREAM_MS = 500;
const SLEEP_AFTER = '2s';
/** The programs of ours that an agent needs beside its own. */
const CONTROL = ['runner-main', 'self-mcp-main'];
const TASK = scriptText([{ text: 'Ready.' }]);

/** The real Claude Code in a fleet, beside its adapter alone; the model is scripted and on loopback. */
export async function claudeCode(stage: Stage): Promise<readonly Row[]> {
  if (cachedAdapter('claude') === undefined)
    return [skippedRow('Claude Code in a fleet', 'not in the cache; npm run test:agents brings it there')];
  await using model = await startModelServer();
  const place = claudePlace(stage, model);
  const built = await builtEdition(stage);
  await using bench = built.bench.open(place);
  const first = await firstTokens(stage, bench, model);
  const thawed = await thaw(bench, model);
  const cancels = await cancel(stage, bench, model);
  return [
    {
      ...ratioRow(
        {
          measure: 'create_agent with Claude Code to its first token',
          peer: 'the bare adapter, from its start',
          how: `from the call to the request that the model answers with the first token; against initialize, session/new and session/prompt of the adapter; ${ROUNDS} rounds`,
        },
        { ours: first.fleet.median, peer: first.bare.median },
      ),
      target: `≤ ${SHARE} × + ${EXTRA_MS / 1000} s`,
      met: first.fleet.median <= first.bare.median * SHARE + EXTRA_MS,
    },
    ratioRow(
      {
        measure: 'a task for an agent asleep to its first token',
        peer: 'a new agent, as above',
        how: `runner and agent are started again, and the session is loaded; ${ROUNDS} rounds`,
      },
      { ours: thawed, peer: first.fleet.median },
    ),
    ratioRow(
      {
        measure: 'cancel of Claude Code in mid-stream to idle',
        peer: 'session/cancel of the adapter to its answer',
        how: `${ROUNDS} rounds, in one session each`,
      },
      { ours: cancels.fleet.median, peer: cancels.bare.median },
      CANCEL_LIMIT,
    ),
    await controlRow(bench, place),
  ];
}

function claudePlace(stage: Stage, model: ModelServer): Place {
  const place = stage.place('claude', { sleep_after: SLEEP_AFTER });
  const { PATH: _, ...env } = offlineEnvironment('claude', model.url, join(place.cwd, 'user'));
  const role = { agent: 'claude', env };
  const projects = {
    [PROJECT]: { repository: stage.repository, default_role: 'coder', sleep_after: SLEEP_AFTER },
  };
  writeFileSync(place.config, JSON.stringify({ version: 1, projects, roles: { coder: role } }));
  lendAgent('claude', place.home);
  return place;
}

async function firstTokens(stage: Stage, bench: OpenedBench, model: ModelServer) {
  return alternate(
    { rounds: ROUNDS },
    {
      bare: async () => {
        const asked = untilAsked(model);
        const start = performance.now();
        await using session = await bareSession(stage, model);
        const ended = session.prompt(TASK);
        const taken = (await asked) - start;
        await ended;
        return taken;
      },
      fleet: async () => {
        const asked = untilAsked(model);
        const start = performance.now();
        const name = await createAgent(bench, TASK);
        const taken = (await asked) - start;
        await untilStatus(bench.fleet, name, 'idle');
        await bench.call('delete_agent', { agent_name: name, discard_work: true });
        return taken;
      },
    },
  );
}

async function thaw({ call, fleet }: OpenedBench, model: ModelServer): Promise<number> {
  const bench = { call, fleet } as OpenedBench;
  const name = await createAgent(bench, TASK);
  const { thawed } = await alternate(
    { rounds: ROUNDS },
    {
      thawed: async () => {
        await untilStatus(fleet, name, 'idle');
        const { workspace_id } = await fleet.showAgent(name);
        while (controlOf(workspace_id).length > 0) await delay(50);
        const asked = untilAsked(model);
        const start = performance.now();
        await call('start_agent_task', { agent_name: name, task_description: TASK });
        return (await asked) - start;
      },
    },
  );
  return thawed.median;
}

async function cancel(stage: Stage, bench: OpenedBench, model: ModelServer) {
  const held = scriptText([{ text: 'this is never said to its end', hold: join(stage.directory, 'never') }]);
  const name = await createAgent(bench, TASK);
  await untilStatus(bench.fleet, name, 'idle');
  await using session = await bareSession(stage, model);
  return await alternate(
    { rounds: ROUNDS },
    {
      bare: async () => {
        const asked = untilAsked(model);
        const ended = session.prompt(held);
        await asked;
        await delay(STREAM_MS);
        return timed(async () => {
          await session.cancel();
          await ended;
        });
      },
      fleet: async () => {
        const asked = untilAsked(model);
        await bench.call('start_agent_task', { agent_name: name, task_description: held });
        await asked;
        await delay(STREAM_MS);
        return timed(async () => {
          await bench.call('cancel_agent_task', { agent_name: name });
          await untilStatus(bench.fleet, name, 'idle');
        });
      },
    },
  );
}

/** When the model is asked next for a step of a script. */
async function untilAsked(model: ModelServer): Promise<number> {
  const before = model.requests.length;
  while (!model.requests.slice(before).some(({ step }) => step !== null)) await delay(2);
  return performance.now();
}

interface BareSession extends AsyncDisposable {
  prompt(text: string): Promise<unknown>;
  cancel(): Promise<unknown>;
}

async function bareSession(stage: Stage, model: ModelServer): Promise<BareSession> {
  const adapter = cachedAdapter('claude');
  if (adapter === undefined) throw new Error('Claude Code is not in the cache');
  const client = startAcpClient(
    adapter,
    offlineEnvironment('claude', model.url, join(stage.directory, 'bare')),
  );
  await client.agent.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: {},
    clientInfo: { name: 'bench', version: '0' },
  });
  const { sessionId } = await client.agent.request('session/new', { cwd: stage.repository, mcpServers: [] });
  return {
    prompt: (text) => client.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    cancel: () => client.agent.notify('session/cancel', { sessionId }),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

async function controlRow(bench: OpenedBench, { home }: Place): Promise<Row> {
  const measure = 'memory of what controls one live Claude Code agent';
  if (process.platform !== 'linux') return skippedRow(measure, 'needs /proc/PID/smaps_rollup of Linux');
  const held = scriptText([{ text: 'busy', hold: join(home, 'never') }]);
  const name = await createAgent(bench, held);
  const { workspace_id } = await bench.fleet.showAgent(name);
  while (controlOf(workspace_id).length < CONTROL.length) await delay(100);
  await untilStatus(bench.fleet, name, 'busy');
  await delay(1_000);
  const ours = controlOf(workspace_id).reduce((sum, pid) => sum + pssOf(pid), 0);
  const all = processesOf(workspace_id).reduce((sum, pid) => sum + pssOf(pid), 0);
  return {
    measure,
    ours: megabytes(ours),
    peer: `the agent itself, adapter and program: ${megabytes(all - ours)}`,
    ratio: ours / (all - ours),
    target: `≤ ${CONTROL_LIMIT_MB} MB`,
    met: ours <= CONTROL_LIMIT_MB * 1024,
    how: 'PSS of the runner with its driver and of the MCP server that it injects, built, in the middle of a task',
  };
}

function controlOf(workspace: string): readonly number[] {
  return processesOf(workspace).filter((pid) =>
    wordsOf(pid)
      .split('\0')
      .some((word) => CONTROL.includes(basename(word, '.js'))),
  );
}

/** The runner by its words, what it started by the mark in the environment. */
function processesOf(workspace: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => wordsOf(pid).includes(workspace) || textOf(pid, 'environ').includes(workspace));
}

function wordsOf(pid: number): string {
  return textOf(pid, 'cmdline');
}

function pssOf(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(textOf(pid, 'smaps_rollup'))?.[1] ?? 0);
}

/** Empty for a process that is gone. */
function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
