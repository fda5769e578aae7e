import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLEET, runFleet } from '../support/fleet-process.ts';
import { agentsOf, askAs } from '../support/fleet-under-test.ts';
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

const visit = (url: string, cookie = ''): Promise<Response> =>
  fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });

describe('the page of fleet serve', () => {
  it('opens by the printed link, once, and shows a command that works', async () => {
    const opened = await visit(link);
    expect(opened.status).toBe(303);
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
    const home = new URL('/', link).href;
    const page = await visit(home, cookie);
    expect(page.status).toBe(200);
    const [, shown = ''] = /<pre><code>([^<]+)<\/code><\/pre>/.exec(await page.text()) ?? [];
    const commands = shown.split('\n');
    expect(commands).toEqual(['fleet projects', expect.stringMatching(/^fleet create PROJECT \w/)]);
    for (const command of commands) {
      const words = command.replace('PROJECT', 'Setup').split(' ').slice(1);
      const { code, stderr } = await runFleet(words, { env: fleet.env });
      expect(code, stderr).toBe(0);
    }
    const [agent, ...others] = await agentsOf(askAs(fleet.fleet));
    expect(others).toEqual([]);
    expect(agent).toMatchObject({ project: 'Setup', last_task: 'What it should do' });
    const listed = await visit(new URL('/api/v1/agents', link).href, cookie);
    expect(await listed.json()).toMatchObject({ total_count: 1 });
  });

  it('says how to get a new link to whoever has none or a used one', async () => {
    await visit(link);
    for (const url of [new URL('/', link).href, link, `${new URL('/', link).href}?code=guess`]) {
      const refused = await visit(url);
      expect(refused.status).toBe(401);
      expect(refused.headers.get('set-cookie')).toBeNull();
      expect(await refused.text()).toMatch(/new link[^]*fleet serve<\/code> again/);
    }
  });
});
