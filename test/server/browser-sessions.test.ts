import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLEET, runFleet } from '../support/fleets/fleet-process.ts';
import { askAs, failure } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';

interface Session {
  readonly id: string;
  readonly browser: string;
  readonly current: boolean;
}

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const PUBLIC = 'https://fleet.example';
let fleet: LocalFleet;
let child: ChildProcess;
let url: string;
beforeAll(async () => {
  fleet = localFleet((config) => Object.assign(config, { public_url: `${PUBLIC}/` }));
  await serve();
});
afterAll(async () => {
  await end();
  await fleet[Symbol.asyncDispose]();
});

async function serve(): Promise<void> {
  const started = spawn(process.execPath, [FLEET, 'serve', '--port', '0', '--json'], {
    env: fleet.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = started;
  for await (const line of createInterface({ input: started.stdout })) {
    ({ url } = JSON.parse(line) as { url: string });
    break;
  }
}

async function end(): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function fleetOpen(): Promise<{ link: string; public_link: string }> {
  const { stdout, code, stderr } = await runFleet(['open', '--print', '--json'], { env: fleet.env });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as { link: string; public_link: string };
}

async function signIn(link: string, headers: Record<string, string> = {}): Promise<string> {
  const code = new URL(link).searchParams.get('code') ?? '';
  const response = await fetch(`${url}/session`, {
    method: 'POST',
    headers: { authorization: `Code ${code}`, ...headers },
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { secret: string }).secret;
}

async function get(path: string, secret: string, method = 'GET'): Promise<Response> {
  return fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${secret}` } });
}

async function sessionsOf(secret: string): Promise<readonly Session[]> {
  const response = await get('/api/v1/browser-sessions', secret);
  return ((await response.json()) as { sessions: readonly Session[] }).sessions;
}

describe('signing in by fleet open', () => {
  it('makes new one-time links while fleet serve runs, also for public_url [PAGE-open]', async () => {
    const first = await fleetOpen();
    expect(first.link).toMatch(new RegExp(`^${url}/\\?code=[\\w-]{43}$`));
    expect(first.public_link).toMatch(new RegExp(`^${PUBLIC}/\\?code=[\\w-]{43}$`));
    // Looking at a link does not use it up.
    for (let look = 0; look < 3; look++) expect((await fetch(first.link)).status).toBe(200);
    const secrets = [
      await signIn(first.link),
      await signIn(first.public_link, { origin: PUBLIC }),
      await signIn((await fleetOpen()).link),
    ];
    expect(new Set(secrets).size).toBe(3);
    for (const secret of secrets) expect((await get('/api/v1/agents', secret)).status).toBe(200);
    const [, code = ''] = first.link.split('code=');
    const again = await fetch(`${url}/session`, {
      method: 'POST',
      headers: { authorization: `Code ${code}` },
    });
    expect(again.status).toBe(401);
  });

  it('lists the browsers that are signed in, and ends one with its event stream [OP-browser-sessions]', async () => {
    const mine = await signIn((await fleetOpen()).link, { 'user-agent': FIREFOX });
    const theirs = await signIn((await fleetOpen()).link, { 'user-agent': 'curl/8.5.0' });
    const sessions = await sessionsOf(mine);
    expect(sessions.find(({ current }) => current)).toMatchObject({
      browser: 'Firefox on Linux',
      created_at: expect.any(String),
      last_seen_at: expect.any(String),
      expires_at: expect.any(String),
    });
    expect(sessions.filter(({ current }) => current)).toHaveLength(1);
    const { id } = (await sessionsOf(theirs)).find(({ current }) => current) ?? { id: '' };
    const events = await get('/events', theirs);
    const rest = events.text();
    expect((await get(`/api/v1/browser-sessions/${id}`, mine, 'DELETE')).status).toBe(200);
    expect((await get('/api/v1/agents', theirs)).status).toBe(401);
    await rest;
    expect((await sessionsOf(mine)).map((each) => each.id)).not.toContain(id);
    expect((await get(`/api/v1/browser-sessions/${id}`, mine, 'DELETE')).status).toBe(404);
    const { stdout } = await runFleet(['open', '--list'], { env: fleet.env });
    expect(stdout).toContain('Firefox on Linux');
    const byCommand = await askAs(fleet.fleet)('list_browser_sessions');
    expect(byCommand['total_count']).toBe((await sessionsOf(mine)).length);
    expect((byCommand['sessions'] as Session[]).filter(({ current }) => current)).toEqual([]);
    expect((await failure(askAs(fleet.fleet)('end_browser_session', { id }))).code).toBe('NOT_FOUND');
  });

  it('keeps browsers signed in, and links good, when the server is started again [PAGE-restart]', async () => {
    const secret = await signIn((await fleetOpen()).link);
    const { public_link } = await fleetOpen();
    await end();
    const refused = await runFleet(['open', '--print'], { env: fleet.env });
    expect(refused).toMatchObject({ code: 7, stdout: '' });
    expect(refused.stderr).toContain('fleet serve');
    await serve();
    expect((await get('/api/v1/agents', secret)).status).toBe(200);
    await signIn(public_link);
  });
});
