import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLEET } from '../support/fleets/fleet-process.ts';
import { askAs, history } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';

let fleet: LocalFleet;
let child: ChildProcess;
let link: string;
beforeAll(async () => {
  fleet = localFleet();
  const started = spawn(process.execPath, [FLEET, 'serve', '--port', '0'], {
    env: fleet.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = started;
  for await (const line of createInterface({ input: started.stdout })) {
    link = /http:\/\/\S+\?code=\S+/.exec(line)?.[0] ?? '';
    if (link !== '') break;
  }
});
afterAll(async () => {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  await fleet[Symbol.asyncDispose]();
});

const at = (path: string): string => new URL(path, link).href;
const codeOf = (url: string): string => new URL(url).searchParams.get('code') ?? '';
const signIn = (code: string): Promise<Response> =>
  fetch(at('/session'), { method: 'POST', headers: { authorization: `Code ${code}` } });

describe('the page of fleet serve', () => {
  it('opens by the printed link, once, and gives tasks for a human [OP-source-dashboard]', async () => {
    const page = await fetch(link);
    expect(page.status).toBe(200);
    const opened = await signIn(codeOf(link));
    expect(opened.status).toBe(201);
    const { secret } = (await opened.json()) as { secret: string };
    const listed = await fetch(at('/api/v1/agents'), { headers: { authorization: `Bearer ${secret}` } });
    expect(await listed.json()).toMatchObject({ total_count: 0 });
    const made = await fetch(at('/api/v1/agents'), {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ project: 'Setup', name: 'sony', task: 'say hello' }),
    });
    expect(made.status).toBe(201);
    const [task] = await history(askAs(fleet.fleet), 'sony');
    expect(task).toMatchObject({ message: 'say hello', source: 'human' });
  });

  it('refuses a used or a guessed code', async () => {
    await signIn(codeOf(link));
    for (const code of [codeOf(link), 'guess', '']) {
      const refused = await signIn(code);
      expect(refused.status).toBe(401);
      expect(await refused.json()).toMatchObject({ error: { details: { reason: 'bad_code' } } });
    }
  });
});
