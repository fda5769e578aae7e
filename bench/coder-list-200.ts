import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { isBuilding } from '../src/backends/coder/workspaces/builds.ts';
import { listBy } from '../src/backends/coder/workspaces/list-workspaces.ts';
import { ourTemplate } from '../src/backends/coder/templates/our-templates.ts';
import { pushTemplate } from '../src/backends/coder/templates/push-template.ts';
import { workspaceSchema } from '../src/backends/coder/model/workspace-schema.ts';
import { openFleet } from '../src/fleet/open-fleet.ts';
import { startFaultProxy } from '../test/support/coder/fault-proxy.ts';
import { endWorkspaces, newCoderUser } from '../test/support/coder/coder-user.ts';
import { clientOf, type RealCoder } from '../test/support/coder/real-coder.ts';
import { agentsOf, askAs } from '../test/support/fleets/fleet-under-test.ts';
import { alternate, ratioRow, timed, type Row } from './measure.ts';

const COUNT = 200;
const LIVE = 30;
const BUILDS_AT_ONCE = 6;
const LOOK_MS = 300;
const ROUNDS = 15;
const AGENTS = 'owner:me param:fleet_managed=true';

export interface CoderStage {
  readonly coder: RealCoder;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The list of two hundred workspaces of a real server, of a user of their own: they stay there for the next time. */
export async function coderList200({ coder: server, cwd, env }: CoderStage): Promise<Row> {
  const coder = await ownUser(server);
  const own = { ...env, CODER_SESSION_TOKEN: coder.token, FLEET_HOME: join(cwd, 'home-200') };
  await using opened = openFleet({ env: own, cwd });
  const ask = askAs(opened.fleet);
  try {
    await makeStopped(server, coder);
    const there = new Set((await agentsOf(ask)).map(({ name }) => name));
    const live = Array.from({ length: LIVE }, (_, index) => `live-${index}`);
    await atOnce(live, async (name) => {
      if (there.has(name)) await ask('restart_agent', { agent_name: name });
      else await ask('create_agent', { project: 'Setup', role: 'coder', task: 'true', name });
    });
    for (;;) {
      const agents = await agentsOf(ask);
      const idle = agents.filter(({ status }) => status === 'idle');
      if (agents.length === COUNT && idle.length === LIVE) break;
      await delay(LOOK_MS);
    }
    const requests = await requestsOfList(coder, { env: own, cwd });
    const figures = await alternate(
      { rounds: ROUNDS },
      {
        ours: () => timed(() => ask('list_agents')),
        onePage: () => timed(() => barePage(coder, { limit: COUNT, offset: 0 })),
        twoPages: () =>
          timed(() =>
            Promise.all(
              [0, 1].map((page) => barePage(coder, { limit: COUNT / 2, offset: page * (COUNT / 2) })),
            ),
          ),
      },
    );
    const { ours, onePage, twoPages } = figures;
    const quickest = onePage.median < twoPages.median ? 'one page of 200' : 'two pages of 100 at once';
    return ratioRow(
      {
        measure: `list_agents of ${COUNT} workspaces on a real Coder server`,
        peer: `the same by a bare client, ${quickest}`,
        how: `${LIVE} live and idle, the rest stopped; ours asked ${requests} ${requests === 1 ? 'request' : 'requests'}; ${ROUNDS} rounds`,
      },
      { ours: ours.median, peer: Math.min(onePage.median, twoPages.median) },
      1.5,
    );
  } finally {
    const ids = (await agentsOf(ask)).map(({ workspace_id }) => workspace_id);
    await endWorkspaces(coder, ids);
  }
}

/** What a fleet that knows its agents asks of the server for one list. */
async function requestsOfList(
  { url }: RealCoder,
  { env, cwd }: Pick<CoderStage, 'env' | 'cwd'>,
): Promise<number> {
  await using proxy = await startFaultProxy(url, () => undefined);
  const home = { CODER_URL: proxy.url, FLEET_HOME: join(cwd, 'home-counting') };
  await using opened = openFleet({ env: { ...env, ...home }, cwd });
  await opened.fleet.listAgents({});
  const before = proxy.passed.length;
  await opened.fleet.listAgents({});
  return proxy.passed.length - before;
}

/** Their start does all that a start does but to run an agent, so that each costs no more than its builds. */
async function makeStopped(server: RealCoder, coder: RealCoder): Promise<void> {
  const client = clientOf(coder);
  const template = ourTemplate('process', {
    home: coder.workspaces_dir,
    env: process.env,
    variables: { workspaces_dir: coder.workspaces_dir, coder_bin: coder.coder_bin, fleet_command: 'true' },
  });
  const files = { ...template.files, 'start.sh': 'mkdir -p "$WS_DIR"\n' };
  await pushTemplate(clientOf(server), { ...template, name: 'asleep', display_name: 'Asleep', files });
  const { active_version_id } = await client.ask(
    '/organizations/default/templates/asleep',
    z.object({ active_version_id: z.string() }),
  );
  const there = new Map((await listBy(client, AGENTS)).map(({ name, id }) => [name, id]));
  const names = Array.from({ length: COUNT - LIVE }, (_, index) => `asleep-${index}`);
  await atOnce(names, async (name) => {
    const id = there.get(name) ?? (await make(coder, name, active_version_id));
    if ((await built(coder, id)) === 'stop') return;
    await client.tell(`/workspaces/${id}/builds`, { method: 'POST', body: { transition: 'stop' } });
    await built(coder, id);
  });
}

async function make(coder: RealCoder, name: string, template_version_id: string): Promise<string> {
  const rich_parameter_values = [
    { name: 'fleet_managed', value: 'true' },
    { name: 'fleet_agent_id', value: randomUUID() },
  ];
  const body = { name, template_version_id, rich_parameter_values };
  const made = await clientOf(coder).ask('/users/me/workspaces', workspaceSchema, { method: 'POST', body });
  return made.id;
}

/** Waits for the build of a workspace and gives its transition. */
async function built(coder: RealCoder, id: string): Promise<string> {
  for (;;) {
    const { name, latest_build: build } = await clientOf(coder).ask(`/workspaces/${id}`, workspaceSchema);
    if (build.job.status === 'succeeded') return build.transition;
    if (!isBuilding(build)) throw new Error(`the build of ${name}: ${build.job.error ?? build.job.status}`);
    await delay(LOOK_MS);
  }
}

/** Who made them the last time, as long as its token is good. */
async function ownUser(server: RealCoder): Promise<RealCoder> {
  const file = join(server.state, 'list-200.token');
  if (existsSync(file)) {
    const known = { ...server, token: readFileSync(file, 'utf8') };
    const who = await fetch(`${known.url}/api/v2/users/me`, {
      headers: { 'coder-session-token': known.token },
    });
    if (who.ok) return known;
  }
  const made = await newCoderUser(server);
  writeFileSync(file, made.token, { mode: 0o600 });
  return made;
}

async function atOnce(names: readonly string[], work: (name: string) => Promise<void>): Promise<void> {
  const left = names.values();
  const worker = async (): Promise<void> => {
    for (const name of left) await work(name);
  };
  await Promise.all(Array.from({ length: BUILDS_AT_ONCE }, worker));
}

async function barePage(
  { url, token }: { readonly url: string; readonly token: string },
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<void> {
  const query = new URLSearchParams({ q: AGENTS, limit: String(limit), offset: String(offset) });
  const response = await fetch(`${url}/api/v2/workspaces?${query.toString()}`, {
    headers: { 'coder-session-token': token },
  });
  await response.json();
}
