import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upstream } from '../orchestrator/upstream-place.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { scriptText } from '../support/model-server/model-script.ts';
import { sentText, sessionPlace, type SessionPlace } from './session-place.ts';

let place: SessionPlace;
beforeAll(async () => {
  place = await sessionPlace((config) => {
    config['mcpServers'] = { lab: upstream('flood') };
  });
});
afterAll(() => place[Symbol.asyncDispose]());

const CONTEXT = ['--context', '4096'] as const;
const LONG = 'word '.repeat(800);
const say = (words: string) => scriptText([{ text: words }]);
const chat = (lines: readonly string[], url = place.model.url, ...args: readonly string[]) =>
  runFleet(['chat', ...CONTEXT, ...args], {
    env: { ...place.env, OLLAMA_HOST: url },
    stdin: `${lines.join('\n')}\n`,
  });

/** The scripted Ollama behind a server that answers requests for a summary with this status. */
async function withoutSummaries(status: number) {
  const forward = async (path: string, method: string, body: string, response: ServerResponse) => {
    const answer = await fetch(place.model.url + path, method === 'GET' ? {} : { method, body });
    const type = answer.headers.get('content-type') ?? '';
    response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
  };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (!body.includes('Summarise this conversation'))
      return forward(request.url ?? '/', request.method ?? 'GET', body, response);
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"no summaries"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('a conversation that has outgrown its context', () => {
  it('goes on when the model server refuses every summary', async () => {
    await using server = await withoutSummaries(500);
    const lines = [...Array.from({ length: 4 }, (_, at) => `${LONG} ${say(`Answer ${at}.`)}`), say('Here.')];
    const { code, stdout, stderr } = await chat(lines, server.url);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Here.');
    expect(sentText(place.model.requests.at(-1))).toContain('could not be summarised');
  });

  it('keeps all of its beginning when the server refuses any request for now', async () => {
    const first = await chat([0, 1].map((at) => `${LONG} ${say(`Answer ${at}.`)}`));
    expect(first).toMatchObject({ code: 0, stderr: '' });
    {
      await using server = await withoutSummaries(429);
      const refused = await chat([`${LONG} ${say('Refused.')}`], server.url, '--continue');
      expect(refused.code).toBe(7);
      expect(refused.stderr).toContain('(status 429): no summaries.');
    }
    const { stdout, stderr } = await chat([say('Back.')], place.model.url, '--continue');
    expect({ stderr, stdout }).toMatchObject({ stderr: '', stdout: expect.stringContaining('Back.') });
    expect(sentText(place.model.requests.at(-1))).not.toContain('could not be summarised');
  });

  it('has room for large results beside its summary', async () => {
    const tools = [1, 2, 3, 4, 5, 6].map(() => ({ tool: 'call_tool', input: flood }));
    const { code, stdout, stderr } = await chat([
      `${LONG} ${say('One.')}`,
      `${LONG} ${say('Two.')}`,
      scriptText([{ tools }, { text: 'All of it.' }]),
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/summarising its beginning/g)).toHaveLength(1);
    expect(stdout).toContain('All of it.');
  });
});

const flood = { name: 'lab__flood', arguments: { bytes: 20_000 } };

describe('a system prompt', () => {
  it('that leaves no room for messages is refused at the start', async () => {
    const file = join(place.fleet.directory, 'long-prompt.md');
    writeFileSync(file, 'Be brief. '.repeat(4_000));
    const before = place.model.requests.length;
    for (const path of [file, '/dev/zero']) {
      const { code, stdout } = await runFleet(
        ['ask', '--json', ...CONTEXT, '--system-prompt', path, 'hello'],
        { env: place.env },
      );
      expect(code).toBe(8);
      expect(JSON.parse(stdout)).toMatchObject({
        error: {
          message: expect.stringMatching(/^The system prompt has about \d+ tokens/) as string,
          details: { reason: 'CONTEXT_OVERFLOW', window: 4_096 },
        },
      });
    }
    expect(place.model.requests).toHaveLength(before);
  });
});

describe('a model that makes the same call for ever', () => {
  it('is stopped also when each failure of the call has an id of its own', async () => {
    const steps = Array.from({ length: 12 }, () => ({ tool: 'there_is_no_such_tool' }));
    const { stopped, calls } = await place.askJson(steps);
    expect({ stopped, calls: calls.length }).toEqual({ stopped: 'repeated', calls: 3 });
  });
});
