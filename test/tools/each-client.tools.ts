import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fleetWith, upstream } from '../orchestrator/upstream-place.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { EVERY_CLIENT, useFleet } from './each-client.ts';
import { pythonProgram, withoutPython, type PythonProgram } from './python.ts';

const { missing, why } = withoutPython();
const MIB = 1024 * 1024;

/** A server made with the SDK for Python that needs longer to start than the probe of the new protocol waits. */
const slow = (program: PythonProgram, ...args: string[]) => ({
  command: 'sh',
  args: ['-c', 'sleep 3; exec "$0" "$@"', pythonProgram(program), ...args],
  timeout: 30_000,
});

describe.skipIf(missing)(`Python servers that start slowly${why}`, () => {
  const repository = mkdtempSync(join(tmpdir(), 'fleet-python-'));
  const web = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('a page of the web');
  });
  let url = '';
  beforeAll(async () => {
    const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { stdio: 'ignore' });
    git('init');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--allow-empty', '-m', 'first of all');
    web.listen(0, '127.0.0.1');
    await once(web, 'listening');
    url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/`;
  });
  afterAll(() => {
    web.close();
    rmSync(repository, { recursive: true, force: true });
  });

  it.each(EVERY_CLIENT)('connect, are listed and answer: %s', async (kind) => {
    // A home of its own: nothing is known of the servers.
    await using fleet = fleetWith({
      time: slow('mcp-server-time', '--local-timezone', 'UTC'),
      git: slow('mcp-server-git', '--repository', repository),
      fetch: slow('mcp-server-fetch', '--ignore-robots-txt', '--allow-private-ips'),
    });
    const { tools, results } = await useFleet(kind, fleet.env, [
      { name: 'time__get_current_time', arguments: { timezone: 'UTC' } },
      { name: 'git__git_log', arguments: { repo_path: repository } },
      { name: 'fetch__fetch', arguments: { url } },
    ]);
    expect(results.map(({ isError }) => isError)).toEqual([false, false, false]);
    expect(results[0]?.text).toContain('"timezone": "UTC"');
    expect(results[1]?.text).toContain('first of all');
    expect(results[2]?.text).toContain('a page of the web');
    expect(tools).toEqual(expect.arrayContaining(['time__convert_time', 'git__git_diff', 'list_agents']));
  });
});

describe.skipIf(missing)(`every client${why}`, () => {
  let fleet: LocalFleet;
  beforeAll(() => {
    fleet = fleetWith({ odd: upstream('malformed'), lab: upstream('flood') });
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  it.each(EVERY_CLIENT)('is offered all tools but the malformed ones: %s', async (kind) => {
    const { tools, results } = await useFleet(kind, fleet.env, [{ name: 'odd__good', arguments: {} }]);
    expect(results).toMatchObject([{ isError: false, text: 'worked' }]);
    expect(tools).toContain('list_agents');
    expect(tools.filter((name) => name.startsWith('odd__'))).toEqual(['odd__good']);
  });

  it.each(EVERY_CLIENT)('has one call fail by an answer over 16 MiB, and no other: %s', async (kind) => {
    const { results } = await useFleet(kind, fleet.env, [
      { name: 'lab__who', arguments: {} },
      { name: 'lab__flood', arguments: { bytes: 20 * MIB } },
      { name: 'lab__who', arguments: {} },
      { name: 'lab__flood', arguments: { bytes: 8 * MIB } },
    ]);
    const [before, large, after, smaller] = results;
    expect(large).toMatchObject({ isError: true });
    expect(JSON.parse(large?.text ?? '')).toMatchObject({
      error: { code: 'TOO_LARGE', details: { limit: 16 * MIB } },
    });
    expect(after).toEqual(before);
    expect(smaller?.text).toHaveLength(8 * MIB);
  });
});
