import type { Server } from 'node:http';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BENCH_ACTOR as BY, RunnerBench } from '../../test/support/runner-bench.ts';
import { callRunner, RunnerAbsent } from './api/http-runner-client.ts';
import { serveRunner, serveSelf } from './runner-server.ts';

let bench: RunnerBench;
let servers: Server[];
let socket: string;
let self: string;

beforeAll(async () => {
  bench = new RunnerBench();
  const runner = await bench.start();
  socket = join(bench.directory, 'runner.sock');
  self = join(bench.directory, 'self.sock');
  servers = [
    await serveRunner(runner, socket, 'the key'),
    await serveSelf(runner, { socket: self, agent_name: 'sony', record: () => {} }),
  ];
});
afterAll(async () => {
  for (const server of servers) server.close();
  await bench[Symbol.asyncDispose]();
});

const call = (path: string, fields: object, key: string | undefined = 'the key') =>
  callRunner({ socket, ...(key === undefined ? {} : { key }) }, path, fields);

describe('the socket of a runner', () => {
  it('is open to its user alone, and answers requests with the key', async () => {
    expect(statSync(socket).mode & 0o077).toBe(0);
    expect(statSync(self).mode & 0o077).toBe(0);
    const request = { key: 'fleet_mcp_a', value: 'x', by: BY };
    for (const key of ['', 'the kez', 'the keyy', 'the'])
      await expect(call('metadata', request, key)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await expect(callRunner({ socket }, 'metadata', request)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(bench.journal.metadata()).toEqual({});
    await call('metadata', request);
    expect(bench.journal.metadata()).toEqual({ fleet_mcp_a: 'x' });
  });

  it('refuses what it does not know and what is not of the right shape', async () => {
    for (const path of ['nothing', '../v1/tasks', 'constructor', ''])
      await expect(call(path, { by: BY })).rejects.toMatchObject({ details: { reason: 'runner_api' } });
    const task = { task_id: 't', message: 'm', when_busy: 'queue', source: 'human', by: BY };
    for (const wrong of [
      { task_id: '' },
      { message: 5 },
      { when_busy: 'maybe' },
      { source: 'nobody' },
      { by: undefined },
      { by: { principal: 'x', door: 'window' } },
      { by: 'me' },
    ])
      await expect(call('tasks', { ...task, ...wrong })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(call('tasks', { ...task, message: 'x'.repeat(2_000_000) })).rejects.toMatchObject({
      code: expect.stringMatching(/^(TOO_LARGE|SERVICE_UNAVAILABLE)$/) as string,
    });
    expect(bench.journal.state().queue).toEqual([]);
  });

  it('takes every caller on the socket of the agent for the agent', async () => {
    await callRunner({ socket: self }, 'metadata', {
      key: 'fleet_mcp_b',
      value: 'y',
      by: { principal: 'user:root', door: 'cli' },
    });
    expect(bench.journal.facts().at(-1)).toMatchObject({ by: { principal: 'agent:sony', door: 'self' } });
    await callRunner({ socket: self }, 'tasks', {
      task_id: 'own',
      message: 'm',
      when_busy: 'interrupt',
      source: 'human',
    });
    expect(bench.journal.facts().find(({ body }) => body.kind === 'task.accepted')).toMatchObject({
      by: { principal: 'agent:sony', door: 'self' },
      body: { source: 'agent', front: false },
    });
    for (const path of ['end', 'cancel', 'acknowledge'])
      await expect(callRunner({ socket: self }, path, { kind: 'stop', by: BY })).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        details: { reason: 'runner_api' },
      });
  });

  it('takes a report from the fleet and from the agent, on either socket', async () => {
    const report = { report_id: 'r1', message: 'done', uri: null, state: 'complete', by: BY };
    expect(await callRunner({ socket: self }, 'reports', report)).toEqual({
      recorded_at: expect.any(String) as string,
    });
    expect(await call('reports', { ...report, report_id: 'r2' })).toEqual({
      recorded_at: expect.any(String) as string,
    });
  });

  it('differs from a runner that is not there', async () => {
    await expect(
      callRunner({ socket: join(bench.directory, 'none.sock') }, 'tasks', {}),
    ).rejects.toBeInstanceOf(RunnerAbsent);
  });

  it('shows the agent nothing of its environment', async () => {
    const details = await callRunner({ socket: self }, 'details', {});
    expect(details).toMatchObject({ launch: { name: 'sony', env: {} } });
  });
});
