import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { askRunner } from '../src/backends/coder/connection/app-proxy.ts';
import { deleteWorkspace } from '../src/backends/coder/workspaces/delete-workspace.ts';
import { FLEET_ACTOR } from '../src/domain/principal.ts';
import { openFleet, type OpenedFleet } from '../src/fleet/open-fleet.ts';
import type { RealCoder } from '../test/support/coder/real-coder.ts';
import { StandInWorkspace } from '../test/support/coder/stand-in-workspace.ts';
import { coderFleet } from '../test/support/fleets/coder-fleet.ts';
import { askAs, waitIdle, type Ask } from '../test/support/fleets/fleet-under-test.ts';
import { coderList200 } from './coder-list-200.ts';
import { alternate, milliseconds, ratioRow, skippedRow, timed, type Row } from './measure.ts';
import type { Stage } from './stage.ts';
import { coderBackends } from '../src/upkeep/coder/coder-backend-of.ts';

const ROUNDS = 7;
const COUNT = 1000;
const WATCHED_MS = 60_000;

/** Agents on Coder beside what the same costs a bare client of its API. */
export async function onCoder(stage: Stage): Promise<readonly Row[]> {
  return [...(await standInRows()), ...(await realRows(stage))];
}

/** A thousand workspaces: more than a real server can be given here. */
async function standInRows(): Promise<readonly Row[]> {
  await using fleet = await coderFleet();
  const { standIn } = fleet;
  Object.assign(standIn.manners, { runners: false, build_ms: 0 });
  const [setup] = standIn.templates;
  if (setup === undefined) throw new Error('no template');
  for (let index = 0; index < COUNT; index++) {
    const workspace = new StandInWorkspace({
      app: 'fleet',
      name: `agent-${index}`,
      template_id: setup.id,
      directory: fleet.directory,
      url: standIn.url,
      manners: standIn.manners,
    });
    workspace.build('start', {
      preset_id: null,
      version_id: setup.version_id,
      parameters: { fleet_managed: 'true', fleet_agent_id: randomUUID(), fleet_origin: '{}' },
    });
    standIn.workspaces.push(workspace);
  }
  await fleet.fleet.listAgents({});
  const figures = await alternate(
    { rounds: ROUNDS },
    { ours: () => timed(() => fleet.fleet.listAgents({})), peer: () => timed(() => bareList(standIn)) },
  );
  const before = standIn.requests.length;
  const stop = AbortSignal.timeout(WATCHED_MS);
  while (!stop.aborted) {
    for (const backend of await coderBackends(fleet.opened)) {
      await backend.keep();
      await delay(backend.pace_ms, undefined, { signal: stop }).catch(() => {});
    }
  }
  const requests = standIn.requests.length - before;
  return [
    ratioRow(
      {
        measure: `list_agents of ${COUNT} workspaces on Coder (stand-in)`,
        peer: 'the same pages by a bare client',
        how: `pages of 200, two at once, JSON parsed; the server in the same process; ${ROUNDS} rounds`,
      },
      { ours: figures.ours.median, peer: figures.peer.median },
      1.5,
    ),
    {
      measure: `requests a minute of an idle fleet of ${COUNT} on Coder with fleet serve`,
      ours: `${requests}`,
      peer: '–',
      ratio: null,
      target: null,
      met: null,
      how: 'what the keeper asks in a minute; the page is fed by events and asks nothing of Coder',
    },
  ];
}

async function realRows(stage: Stage): Promise<readonly Row[]> {
  const state = process.env['FLEET_TEST_CODER'] ?? '';
  const file = join(state, 'coder.json');
  if (state === '' || !existsSync(file))
    return [
      skippedRow(
        'agents on a real Coder server',
        'FLEET_TEST_CODER names none that npm run test:coder left running',
      ),
    ];
  const coder = JSON.parse(readFileSync(file, 'utf8')) as RealCoder;
  const { cwd } = stage.place('coder');
  writeFileSync(join(cwd, 'fleet.yaml'), 'version: 1\nbackend: coder\n');
  const env = {
    ...process.env,
    FLEET_HOME: join(cwd, 'home'),
    FLEET_CONFIG: join(cwd, 'fleet.yaml'),
    CODER_URL: coder.url,
    CODER_SESSION_TOKEN: coder.token,
  };
  const list = await coderList200({ coder, cwd, env });
  await using opened = openFleet({ env, cwd });
  const ask = askAs(opened.fleet);
  try {
    await ask('create_agent', { project: 'Setup', role: 'coder', task: 'true', name: 'bench' });
    await waitIdle(ask, 'bench');
    return [
      list,
      await showRow(opened, ask, coder),
      await acceptRow(opened, ask),
      await waiterRow(ask),
      await createRow(ask, coder),
    ];
  } finally {
    for (const backend of await coderBackends(opened)) {
      for (const { workspace_id: id, name } of await backend.list())
        await deleteWorkspace(
          backend.context,
          { id, name },
          { signal: new AbortController().signal, progress: () => {} },
        );
    }
  }
}

async function showRow(opened: OpenedFleet, ask: Ask, coder: RealCoder): Promise<Row> {
  const peer = await bareProxy(opened);
  const figures = await alternate(
    { rounds: 15 },
    {
      ours: () => timed(() => ask('show_agent', { agent_name: 'bench' })),
      peer: () =>
        timed(async () => {
          await bareGet(coder, '/users/me/workspace/bench');
          await peer();
        }),
    },
  );
  return ratioRow(
    {
      measure: 'show_agent on a real Coder server',
      peer: 'one bare GET and one bare proxy call',
      how: 'one live agent; 15 rounds',
    },
    { ours: figures.ours.median, peer: figures.peer.median },
  );
}

async function acceptRow(opened: OpenedFleet, ask: Ask): Promise<Row> {
  const peer = await bareProxy(opened);
  await ask('start_agent_task', { agent_name: 'bench', task_description: 'sleep 120' });
  const figures = await alternate(
    { rounds: 15 },
    {
      ours: () =>
        timed(() =>
          ask('start_agent_task', { agent_name: 'bench', task_description: 'true', when_busy: 'queue' }),
        ),
      peer: () => timed(peer),
    },
  );
  await ask('restart_agent', { agent_name: 'bench' });
  await waitIdle(ask, 'bench');
  return ratioRow(
    {
      measure: 'start_agent_task on a real Coder server',
      peer: 'one bare proxy call',
      how: 'queued behind a running task: the lookup of the agent by name, the signed request, the copy of the journal; 15 rounds',
    },
    { ours: figures.ours.median, peer: figures.peer.median },
    2,
  );
}

/** From the end of a task to the waiter's answer. */
async function waiterRow(ask: Ask): Promise<Row> {
  const taken: number[] = [];
  for (let round = 0; round < 5; round++) {
    await ask('start_agent_task', { agent_name: 'bench', task_description: 'sleep 2' });
    const answer = await ask('wait_for_agents', { agent_names: 'bench' });
    const heard = Date.now();
    const { tasks } = await ask('show_agent_task_history', { agent_name: 'bench', page_size: 1 });
    if (answer['timed_out'] === true) throw new Error('the task did not end');
    const [row] = tasks as { finished_at: string }[];
    taken.push(heard - Date.parse(row?.finished_at ?? ''));
  }
  const worst = Math.max(...taken);
  return {
    measure: 'end of a task to whoever waits, on a real Coder server (worst of 5)',
    ours: milliseconds(worst),
    peer: '–',
    ratio: null,
    target: '≤ 1 s',
    met: worst <= 1000,
    how: 'runner → app status → watch → list → answer',
  };
}

async function createRow(ask: Ask, coder: RealCoder): Promise<Row> {
  let index = 0;
  const ours = async (): Promise<void> => {
    const name = `bench-${++index}`;
    await ask('create_agent', { project: 'Setup', role: 'coder', task: 'true', name });
    await waitIdle(ask, name);
  };
  const templates = (await bareGet(coder, '/templates')) as { name: string; active_version_id: string }[];
  const version = templates.find(({ name }) => name === 'setup')?.active_version_id;
  const peer = async (): Promise<void> => {
    const client = { 'coder-session-token': coder.token, 'content-type': 'application/json' };
    const values = [
      { name: 'fleet_managed', value: 'true' },
      { name: 'fleet_agent_id', value: randomUUID() },
    ];
    const response = await fetch(`${coder.url}/api/v2/users/me/workspaces`, {
      method: 'POST',
      headers: client,
      body: JSON.stringify({
        name: `bare-${++index}`,
        template_version_id: version,
        rich_parameter_values: values,
      }),
    });
    const { id } = (await response.json()) as { id: string };
    for (;;) {
      const seen = (await bareGet(coder, `/workspaces/${id}`)) as {
        latest_build: { resources: { agents?: { lifecycle_state: string }[] }[] };
      };
      const agents = seen.latest_build.resources.flatMap((resource) => resource.agents ?? []);
      if (agents.some(({ lifecycle_state }) => lifecycle_state === 'ready')) return;
      await delay(100);
    }
  };
  const figures = await alternate(
    { rounds: 3, warmups: 0 },
    { ours: () => timed(ours), peer: () => timed(peer) },
  );
  const more = figures.ours.median - figures.peer.median;
  return {
    measure: 'create_agent to its first task done, on a real Coder server',
    ours: milliseconds(figures.ours.median),
    peer: `bare create to ready: ${milliseconds(figures.peer.median)}`,
    ratio: figures.ours.median / figures.peer.median,
    target: '+ ≤ 5 s',
    met: more <= 5_000,
    how: 'the process template; ours also starts the runner and runs the task `true`; 3 rounds',
  };
}

async function bareProxy(opened: OpenedFleet): Promise<() => Promise<unknown>> {
  const [backend] = await coderBackends(opened);
  const agent = await backend?.find('bench');
  if (backend === undefined || agent === undefined) throw new Error('no agent');
  const me = (await bareGet(backend.context.client.server, '/users/me')) as { id: string };
  const target = { workspace_id: agent.workspace_id, owner_id: me.id };
  const heard = { seq: Number.MAX_SAFE_INTEGER, log: null, fields_at: null };
  return () => askRunner(backend.context, target, { name: 'ping', fields: { by: FLEET_ACTOR, heard } });
}

async function bareGet({ url, token }: { url: string; token: string }, path: string): Promise<unknown> {
  return (await fetch(`${url}/api/v2${path}`, { headers: { 'coder-session-token': token } })).json();
}

async function bareList(server: { url: string; token: string }): Promise<void> {
  const page = (number: number): Promise<unknown> =>
    bareGet(
      server,
      `/workspaces?q=${encodeURIComponent('owner:me param:fleet_managed=true')}&limit=200&offset=${number * 200}`,
    );
  await page(0);
  await Promise.all([page(1), page(2)]);
  await Promise.all([page(3), page(4)]);
}
