import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SESSION_STATES } from '../../src/session/session-state.ts';
import { runFleet, serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import { agentsOf, askAs, idleAgent, signalFile, until } from '../support/fleets/fleet-under-test.ts';
import { scriptText } from '../support/model-server/model-script.ts';
import { chatEvents, type Told } from './chat-events.ts';
import { sentText, sessionPlace, type SessionPlace } from './session-place.ts';

let place: SessionPlace;
let served: ServedFleet;
beforeAll(async () => {
  place = await sessionPlace();
  served = await serveFleet(place.env);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

function post(body: object, { token = served.token, signal }: { token?: string; signal?: AbortSignal } = {}) {
  return fetch(`${served.url}/api/v1/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

async function chat(body: object): Promise<Told[]> {
  const response = await post(body);
  expect(response.status).toBe(200);
  const told: Told[] = [];
  for await (const each of chatEvents(response)) told.push(each);
  return told;
}

const last = (told: readonly Told[], event: string) => told.findLast((each) => each.event === event)?.data;

describe('POST /api/v1/chat', () => {
  it('streams the answer as it comes [SES-streamed]', async () => {
    const file = signalFile(place.fleet, 'second-half');
    const message = scriptText([
      { text: 'The first half of it, and then the second half of it.', hold: file },
    ]);
    const response = await post({ message });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    let text = '';
    for await (const { event, data } of chatEvents(response)) {
      if (event === 'text') text += String(data['text']);
      // The model goes on only when its first words have arrived here.
      if (text.includes('The first half')) writeFileSync(file, '');
    }
    expect(text).toBe('The first half of it, and then the second half of it.');
  });

  it('tells its states, calls, results and the answer [SES-states]', async () => {
    const told = await chat({ message: scriptText([{ tool: 'list_agents' }, { text: 'None.' }]) });
    const states = told.flatMap(({ event, data }) => (event === 'state' ? [data['state']] : []));
    expect(told[0]).toEqual({ event: 'state', data: { state: 'initializing' } });
    expect(states).toEqual(['initializing', 'ready', 'processing', 'ready', 'terminating', 'closed']);
    expect(SESSION_STATES).toEqual(expect.arrayContaining(states));
    expect(last(told, 'start')).toMatchObject({ model: 'scripted:latest', window: 32_768, tools: true });
    expect(last(told, 'call')).toMatchObject({ tool: 'list_agents', arguments: {} });
    expect(last(told, 'result')).toMatchObject({ tool: 'list_agents', failed: false });
    expect(last(told, 'answer')).toMatchObject({ answer: 'None.', rounds: 1, stopped: null });
  });

  it('goes on with a conversation, which is listed, read and deleted', async () => {
    const first = last(await chat({ message: scriptText([{ text: 'Remember green.' }]) }), 'answer');
    const conversation_id = String(first?.['conversation_id']);
    await chat({ message: scriptText([{ text: 'Green.' }]), conversation_id });
    expect(sentText(place.model.requests.at(-1))).toContain('Remember green.');
    const below = '/api/v1/chat/conversations';
    const { body: list } = await served.request('GET', below);
    expect(list['conversations']).toMatchObject([{ id: conversation_id, messages: 4 }, {}, {}]);
    const { body: shown } = await served.request('GET', `${below}/${conversation_id}`);
    expect(shown).toMatchObject({
      conversation: { history: [{ role: 'user' }, { text: 'Remember green.' }, {}, {}] },
    });
    expect(await served.request('DELETE', `${below}/${conversation_id}`)).toMatchObject({ status: 200 });
    expect(await served.request('GET', `${below}/${conversation_id}`)).toMatchObject({ status: 404 });
    expect(await served.request('GET', `${below}/..%2F..%2Ftoken`)).toMatchObject({ status: 404 });
  });

  it('waits for the answer of a person before a destructive call', async () => {
    const ask = askAs(place.fleet.fleet);
    await idleAgent(ask, 'sony');
    const message = scriptText([{ tool: 'delete_agent', input: { agent_name: 'sony' } }, { text: 'Gone.' }]);
    const told: Told[] = [];
    for await (const each of chatEvents(await post({ message }))) {
      told.push(each);
      if (each.event !== 'approval') continue;
      expect((await agentsOf(ask)).map(({ name }) => name)).toContain('sony');
      expect(await runFleet(['approve', String(each.data['id'])], { env: place.env })).toMatchObject({
        code: 0,
      });
    }
    expect(last(told, 'approval')).toMatchObject({ tool: 'delete_agent', arguments: { agent_name: 'sony' } });
    expect(String(last(told, 'approval')?.['effect'])).toContain('sony is idle');
    expect(last(told, 'result')).toMatchObject({ tool: 'delete_agent', failed: false });
    expect((await agentsOf(ask)).map(({ name }) => name)).not.toContain('sony');
  });

  it('stops when the client goes, and closes its question', async () => {
    await idleAgent(askAs(place.fleet.fleet), 'stays');
    const message = scriptText([{ tool: 'delete_agent', input: { agent_name: 'stays' } }, { text: 'Gone.' }]);
    const leave = new AbortController();
    const reading = (async () => {
      for await (const { event } of chatEvents(await post({ message }, { signal: leave.signal })))
        if (event === 'approval') leave.abort();
    })();
    await expect(reading).rejects.toThrow(/abort/i);
    await until(
      async () => (await served.request('GET', '/api/v1/approvals')).body['total_count'],
      (count) => count === 0,
    );
    expect((await agentsOf(askAs(place.fleet.fleet))).map(({ name }) => name)).toContain('stays');
  });

  it('fails with a status before it streams: checks, inputs, rights', async () => {
    const failed = async (body: object, token?: string) => {
      const response = await post(body, token === undefined ? {} : { token });
      return { status: response.status, body: (await response.json()) as { error: { message: string } } };
    };
    expect(await failed({ message: 'hi', model: 'nope' })).toMatchObject({
      status: 404,
      body: { error: { details: { reason: 'MODEL_NOT_FOUND' } } },
    });
    expect(await failed({})).toMatchObject({
      status: 400,
      body: { error: { details: { field: 'message' } } },
    });
    expect(await failed({ message: 'hi', mesage: 'x' })).toMatchObject({ status: 400 });
    const conversation_id = '00000000-0000-4000-8000-000000000000';
    expect(await failed({ message: 'hi', conversation_id })).toMatchObject({ status: 404 });
    const { stdout } = await runFleet(['token', 'create', 'looker', '--scopes', 'read', '--json'], {
      env: place.env,
    });
    const { token } = JSON.parse(stdout) as { token: string };
    expect(await failed({ message: 'hi' }, token)).toMatchObject({ status: 403 });
  });
});
