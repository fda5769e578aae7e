import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLEET } from '../support/fleet-process.ts';
import { localFleet, type LocalFleet } from '../support/local-fleet.ts';

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
  it('opens by the printed link, once', async () => {
    const page = await fetch(link);
    expect(page.status).toBe(200);
    const opened = await signIn(codeOf(link));
    expect(opened.status).toBe(201);
    const { secret } = (await opened.json()) as { secret: string };
    const listed = await fetch(at('/api/v1/agents'), { headers: { authorization: `Bearer ${secret}` } });
    expect(await listed.json()).toMatchObject({ total_count: 0 });
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
