import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp } from '../../src/server/app.ts';
import { Authenticator } from '../../src/server/http/auth.ts';
import { askAs, idleAgent, waitIdle, type Ask } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';

const agent_name = 'sony';
let fleet: LocalFleet;
let ask: Ask;
const ending = new AbortController();
beforeAll(async () => {
  fleet = localFleet();
  ask = askAs(fleet.fleet);
  await Promise.all([idleAgent(ask, agent_name), idleAgent(ask, 'papi')]);
});
afterAll(async () => {
  ending.abort();
  await fleet[Symbol.asyncDispose]();
});

async function open(query: string) {
  const app = createApp({
    fleet: fleet.fleet,
    authenticator: new Authenticator({ token: 'secret' }),
    version: '1',
    signal: ending.signal,
  });
  const response = await app.request(`http://localhost/events?${query}`, {
    headers: { Authorization: 'Bearer secret' },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let from = 0;
  return {
    status: response.status,
    /** Reads on until there is a frame of a kind after those that were read for before. */
    until: async (kind: string): Promise<string> => {
      for (;;) {
        const frames = text.split('\n\n').slice(0, -1);
        const found = frames.findIndex((frame, index) => index >= from && frame.includes(`event: ${kind}\n`));
        if (found >= 0) from = found + 1;
        if (found >= 0) return frames[found] ?? '';
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) throw new Error(`the stream ended after ${text}`);
        text += value;
      }
    },
    all: () => text,
  };
}

it('tells a stream of one agent that its conversation has more, while the task runs [EV-log]', async () => {
  const stream = await open(`agent=${agent_name}`);
  const frame = await stream.until('log');
  expect(frame).not.toContain('id:');
  const [, data = '{}'] = /data: (.*)/.exec(frame) ?? [];
  expect(JSON.parse(data)).toMatchObject({ kind: 'log', agent_name, workspace_id: expect.any(String) });
  const { newer } = await ask('show_agent_conversation', { agent_name });
  const go = join(fleet.directory, 'go-log');
  const task_description = script({ say: 'first' }, { hold: go }, { say: 'second' });
  await ask('start_agent_task', { agent_name, task_description });
  const texts = async (): Promise<string> =>
    JSON.stringify(await ask('show_agent_conversation', { agent_name, cursor: newer, direction: 'newer' }));
  while (!(await texts()).includes('"first"')) await stream.until('log');
  writeFileSync(go, '');
  while (!(await texts()).includes('"second"')) await stream.until('log');
});

it('tells nothing of the conversation of another agent', async () => {
  const stream = await open(`agent=${agent_name}`);
  await stream.until('log');
  await ask('start_agent_task', { agent_name: 'papi', task_description: 'a word' });
  await stream.until('task.ended');
  await waitIdle(ask, 'papi');
  expect(stream.all().match(/event: log/g)).toHaveLength(1);
  expect(stream.all()).not.toMatch(/"kind":"log","agent_name":"papi"/);
});

it('refuses an agent that does not exist', async () => {
  expect((await open('agent=nobody')).status).toBe(404);
});
