import { describe, expect, test } from 'vitest';
import { createApp } from '../../src/server/app.ts';
import { Authenticator } from '../../src/server/http/auth.ts';
import { makeTinyFleet } from './tiny-backend.ts';

const SONY = { name: 'sony', workspace_id: '6f1de08d-9d28-4c1b-8a3c-2f6a4f1f0001' };

function setUp(parts: { signal?: AbortSignal; mostStreams?: number } = {}) {
  const { fleet, events } = makeTinyFleet();
  const app = createApp({
    fleet,
    authenticator: new Authenticator({ token: 'secret' }),
    version: '1.2.3',
    ...parts,
  });
  const open = async (query = '', headers: Record<string, string> = {}, method = 'GET') =>
    app.request(`http://localhost/events${query}`, {
      method,
      headers: { Authorization: 'Bearer secret', ...headers },
    });
  return { events, open };
}

interface Frame {
  readonly id: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** Reads so many events, and gives the stream back for more. */
async function read(response: Response, count: number) {
  if (response.body === null) throw new Error('no body');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const frames: Frame[] = [];
  let text = '';
  while (frames.length < count) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) continue;
      const fields = new Map(
        block
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      const data = JSON.parse(fields.get('data') ?? '') as Record<string, unknown>;
      frames.push({ id: fields.get('id') ?? '', event: fields.get('event') ?? '', data });
    }
  }
  return { frames, reader };
}

describe('/events', () => {
  test('sends events as they come, from now on', async () => {
    const { events, open } = setUp();
    events.add('agent.created', SONY);
    const response = await open();
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reading = read(response, 2);
    await expect.poll(() => events.waiting, { timeout: 30_000 }).toBe(1);
    events.add('task.started', SONY, { task_id: 't1', cursor: 'no', kind: 'no' });
    events.add('task.ended', SONY, { task_id: 't1' });
    const { frames, reader } = await reading;
    expect(frames[0]).toEqual({
      id: '2',
      event: 'task.started',
      data: {
        cursor: '2',
        at: expect.any(String),
        kind: 'task.started',
        agent_name: 'sony',
        workspace_id: SONY.workspace_id,
        task_id: 't1',
      },
    });
    expect(frames[1]).toMatchObject({ id: '3', event: 'task.ended' });
    await reader.cancel();
    await expect.poll(() => events.waiting, { timeout: 30_000 }).toBe(0);
  });

  test('resumes after a cursor, and misses nothing', async () => {
    const { events, open } = setUp();
    for (let count = 0; count < 1_200; count++) events.add('report', SONY, { count });
    const fromStart = await read(await open('?cursor=0'), 1_200);
    expect(fromStart.frames.map((frame) => frame.id)).toEqual(
      Array.from({ length: 1_200 }, (_, index) => String(index + 1)),
    );
    const fromHeader = await read(await open('?cursor=0', { 'Last-Event-ID': '1198' }), 2);
    expect(fromHeader.frames.map((frame) => frame.id)).toEqual(['1199', '1200']);
    await fromStart.reader.cancel();
    await fromHeader.reader.cancel();
  });

  test.each(['?cursor=x', '?cursor=', '?cursor=1&cursor=2', '?from=1'])('refuses %s', async (query) => {
    const { open } = setUp();
    const response = await open(query);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'INVALID_INPUT', details: { field: expect.any(String) } },
    });
  });

  test('ends when the server stops', async () => {
    const shutdown = new AbortController();
    const { events, open } = setUp({ signal: shutdown.signal });
    const reading = read(await open(), 1);
    await expect.poll(() => events.waiting, { timeout: 30_000 }).toBe(1);
    shutdown.abort();
    expect((await reading).frames).toEqual([]);
  });

  test('the oldest of too many is closed with a reason, and one that was left makes room', async () => {
    const { open, events } = setUp({ mostStreams: 2 });
    const [first, second] = [await open(), await open()];
    await second?.body?.cancel();
    const third = await open();
    const reading = first?.text();
    const fourth = await open();
    const text = (await reading) ?? '';
    expect(text).toContain('event: closed');
    expect(text).toContain('"reason":"too_many_streams"');
    expect((await open('?cursor=bad')).status).toBe(400);
    expect((await open('', {}, 'HEAD')).status).toBe(200);
    events.add('report', SONY);
    for (const response of [third, fourth]) {
      const { frames, reader } = await read(response, 1);
      expect(frames).toMatchObject([{ event: 'report' }]);
      await reader.cancel();
    }
  });

  test('many streams at one cursor wait and look once, and each gets every event', async () => {
    const { open, events } = setUp();
    const responses = await Promise.all(Array.from({ length: 300 }, () => open()));
    const reading = responses.map((response) => read(response, 2));
    await expect.poll(() => events.waiting, { timeout: 30_000 }).toBe(1);
    const before = events.looks;
    events.add('report', SONY);
    events.add('report', SONY);
    for (const { frames, reader } of await Promise.all(reading)) {
      expect(frames.map(({ id }) => id)).toEqual(['1', '2']);
      await reader.cancel();
    }
    expect(events.looks - before).toBeLessThan(30);
  });
});
