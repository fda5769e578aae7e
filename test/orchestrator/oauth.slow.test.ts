import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { FLEET, runFleet, type Finished } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { isReady, poolWith } from './pool-under-test.ts';
import { fleetWith, upstreamFile } from './upstream-place.ts';

const children: ChildProcess[] = [];
afterAll(() => children.forEach((child) => child.kill()));

async function guarded(...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [upstreamFile('guarded'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return line;
}

/** Logs in as a user does, whose browser goes where it is sent. */
async function logIn(fleet: LocalFleet): Promise<Finished> {
  const child = spawn(process.execPath, [FLEET, 'tools', 'login', 'far', '--no-browser'], {
    env: fleet.env,
    stdio: 'pipe',
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  for await (const line of createInterface({ input: child.stderr })) {
    stderr += `${line}\n`;
    if (line.startsWith('http')) await (await fetch(line)).text();
  }
  const [code, signal] = await ended;
  return { code, signal, stdout, stderr };
}

const call = async (fleet: LocalFleet): Promise<string> => {
  const { stdout } = await runFleet(['tools', 'call', 'far__token'], { env: fleet.env });
  return stdout;
};

describe('a remote server that wants a login', () => {
  it('is used after a login by a browser, whose tokens are for this user alone and are renewed', async () => {
    await using fleet = fleetWith({ far: { url: await guarded(), oauth: { grant: 'browser' } } });
    expect(await call(fleet)).toContain('it wants you to log in: fleet tools login far');
    const done = await logIn(fleet);
    expect([done.code, done.stdout]).toEqual([0, 'You are logged in to far.\n']);
    // A token is good for three requests: this takes several.
    const answers = [await call(fleet), await call(fleet), await call(fleet), await call(fleet)];
    expect(answers.at(-1)).toMatch(/you sent \[hidden\]; [2-4] so far/);
    expect(answers.join('')).not.toContain('access-');
    const directory = join(fleet.home, 'tools', 'oauth');
    const [file = ''] = readdirSync(directory);
    expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(directory, file), 'utf8')).toContain('refresh-');
    const out = await runFleet(['tools', 'login', 'far', '--out'], { env: fleet.env });
    expect([out.code, readdirSync(directory)]).toEqual([0, []]);
  });

  it('keeps its login when many requests, of two processes, find at once that their token is too old', async () => {
    const url = await guarded('1000');
    const servers = { far: { url, oauth: { grant: 'browser' } } } as const;
    await using fleet = fleetWith(servers);
    await logIn(fleet);
    await using pool = await poolWith(servers, { home: fleet.home });
    await using other = await poolWith(servers, { home: fleet.home });
    for (const each of [pool, other]) await each.until('far', isReady);
    await fetch(new URL('/expire', url));
    const calls = [pool, pool, pool, other, other].map((each) => each.call('far__token'));
    // One renewal was enough for all.
    expect((await Promise.all(calls)).map((each) => JSON.stringify(each))).toEqual(
      Array.from({ length: 5 }, () => expect.stringContaining('; 1 so far') as string),
    );
  });

  it('says why a login failed, and keeps nothing of it', async () => {
    await using fleet = fleetWith({ far: { url: await guarded('refuses'), oauth: { grant: 'browser' } } });
    const done = await logIn(fleet);
    expect([done.code, done.stderr]).toEqual([7, expect.stringContaining('access_denied')]);
    expect(existsSync(join(fleet.home, 'tools', 'oauth'))).toBe(false);
    const unknown = await runFleet(['tools', 'login', 'near'], { env: fleet.env });
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining('There are: far.')]);
  });

  it('lets its own client in by its secret, which is never shown', async () => {
    const url = await guarded();
    const oauth = {
      grant: 'client_credentials',
      client_id: 'machine',
      client_secret: 'machine-secret',
      issuer: new URL(url).origin,
    };
    await using pool = await poolWith({ far: { url, oauth } });
    await pool.until('far', isReady);
    expect(JSON.stringify(await pool.call('far__token'))).toMatch(/you sent \[hidden\]/);
    await using wrong = await poolWith({
      far: { url, oauth: { ...oauth, client_secret: 'another-secret' } },
    });
    const { error } = await wrong.until('far', ({ error }) => error !== undefined);
    expect(error).toContain('invalid_client');
    expect(error).not.toContain('another-secret');
  });
});
