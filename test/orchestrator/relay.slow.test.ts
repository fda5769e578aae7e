import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modern, postMcp } from '../server/raw-mcp.ts';
import { runFleet, serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { askableClient, type Answer, CLIENTS, type ClientKind } from './relay-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';

let fleet: LocalFleet;
let served: ServedFleet;
let log: string;
beforeAll(async () => {
  fleet = fleetWith({});
  log = join(fleet.directory, 'log');
  fleet.configure((config) => {
    config['mcpServers'] = { lab: upstream('plain', { env: { LAB_LOG: log } }) };
  });
  served = await serveFleet(fleet.env);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await fleet[Symbol.asyncDispose]();
});

const client = ({ mode, over }: ClientKind, answer?: (message: string) => Answer) =>
  askableClient(mode, over === 'HTTP' ? served : { env: fleet.env }, answer);
const logged = () => readFileSync(log, 'utf8');

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe.each(CLIENTS)('through the relay: $mode over $over', (kind) => {
  it('everything that a tool says of itself, and its whole answer, pass unharmed', async () => {
    await using connected = await client(kind);
    await connected.call('lab__whoami');
    const { tools } = await connected.client.listTools();
    expect(tools.find(({ name }) => name === 'lab__echo')).toMatchObject({
      title: 'Echo',
      annotations: { readOnlyHint: true, title: 'Echo it' },
      _meta: { 'lab/known': true },
      icons: [{ src: 'data:,' }],
    });
    const answer = await connected.call('lab__echo', { value: 'ü' });
    expect(answer).toMatchObject({ structuredContent: { value: 'ü' }, _meta: { 'lab/result': 'ü' } });
    expect((await connected.call('lab__fail')).isError).toBe(true);
    const wrong = await connected.call('lab__echo', {});
    expect(wrong.content[0]?.text).toContain('"field":"value"');
  });

  it('progress comes, all of it and in order', async () => {
    await using connected = await client(kind);
    await connected.call('lab__slow', { steps: 5, step_ms: 15 }, { onprogress: () => {} });
    expect(connected.progress).toEqual([1, 2, 3, 4, 5]);
  });

  it('a cancellation reaches the server', async () => {
    await using connected = await client(kind);
    const before = logged().split('canceled at').length;
    const stop = new AbortController();
    const onprogress = (): void => stop.abort();
    const running = connected.call(
      'lab__slow',
      { steps: 500, step_ms: 10 },
      { onprogress, signal: stop.signal },
    );
    await expect(running).rejects.toThrow();
    await until(() => logged().split('canceled at').length > before);
  });

  it('a question of the server is put to the user in its name, and answered [ORCH-pass-through]', async () => {
    await using connected = await client(kind, () => ({ action: 'accept', content: { colour: 'red' } }));
    const answer = await connected.call('lab__ask');
    expect(connected.questions).toEqual(['The MCP server "lab" asks: Which colour?']);
    expect(JSON.parse(answer.content[0]?.text ?? '')).toEqual({
      action: 'accept',
      content: { colour: 'red' },
    });
  });

  it('a destructive call asks the user first, and runs once when it is allowed [MCP-approval-elicitation, ERR-approval-denied]', async () => {
    const what = `${kind.mode}-${kind.over}`;
    await using allowing = await client(kind, () => ({ action: 'accept', content: { allow: true } }));
    expect((await allowing.call('lab__drop', { what })).content[0]?.text).toBe(`dropped ${what}`);
    expect(allowing.questions[0]).toContain('Allow lab__drop once');
    expect(logged().split(`dropped ${what}\n`)).toHaveLength(2);
    await using refusing = await client(kind, () => ({ action: 'accept', content: { allow: false } }));
    const refused = await refusing.call('lab__drop', { what });
    expect(JSON.parse(refused.content[0]?.text ?? '')).toMatchObject({
      error: { code: 'FORBIDDEN', details: { reason: 'approval_denied' } },
    });
    expect(logged().split(`dropped ${what}\n`)).toHaveLength(2);
  });

  it('a client that cannot be asked gets an approval that waits, and what is allowed runs once [ORCH-gate-pending, MCP-approval-pending, MCP-approval-runs-once]', async () => {
    await using connected = await client(kind);
    const what = `waiting-${kind.mode}-${kind.over}`;
    const call = async () => {
      const { content, isError } = await connected.call('lab__drop', { what });
      return isError === true
        ? (JSON.parse(content[0]?.text ?? '') as { error: { code: string; details: { id: string } } }).error
        : content[0]?.text;
    };
    const asked = await call();
    expect(asked).toMatchObject({ code: 'APPROVAL_REQUIRED' });
    const id = typeof asked === 'object' ? asked.details.id : '';
    expect(await call()).toMatchObject({ code: 'APPROVAL_REQUIRED', details: { id } });
    expect((await runFleet(['approve', id], { env: fleet.env })).code).toBe(0);
    expect(await call()).toBe(`dropped ${what}`);
    expect(await call()).toMatchObject({ code: 'APPROVAL_REQUIRED' });
    expect(logged().split(`dropped ${what}\n`)).toHaveLength(2);
  });
});

describe('the state of an approval', () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };
  const call = async (what: string, more: object = {}) => {
    const params = { name: 'lab__drop', arguments: { what }, _meta: meta, ...more };
    const { message } = await postMcp(served, { id: 1, method: 'tools/call', params });
    return message.result as Record<string, unknown> & { requestState: string };
  };
  const allow = { approval: { action: 'accept', content: { allow: true } } };

  it('is good for its call alone, unchanged, and once [MCP-approval-input-required]', async () => {
    const { requestState, resultType, inputRequests } = await call('state');
    expect([resultType, Object.keys(inputRequests as object)]).toEqual(['input_required', ['approval']]);
    const refused = {
      isError: true,
      _meta: { 'fleet-mcp/error': { code: 'FORBIDDEN', details: { reason: 'bad_state' } } },
    };
    expect(await call('another', { requestState, inputResponses: allow })).toMatchObject(refused);
    expect(await call('state', { requestState: `${requestState}x`, inputResponses: allow })).toMatchObject(
      refused,
    );
    expect(await call('state', { requestState, inputResponses: allow })).toMatchObject({
      content: [{ text: 'dropped state' }],
    });
    expect(await call('state', { requestState, inputResponses: allow })).toMatchObject(refused);
  });
});

describe('the arguments of a call', () => {
  const call = async (name: string, args: unknown) => {
    const { params, ...rest } = modern('tools/call', name);
    const { message } = await postMcp(served, { ...rest, params: { ...params, arguments: args } });
    return message;
  };

  it('may be null, and are none then; they must be an object that is not nested too deep', async () => {
    expect(await call('lab__fail', null)).toMatchObject({ result: { content: [{ text: 'it went wrong' }] } });
    const meta = await call('lab__meta', null);
    expect(JSON.stringify(meta.result)).toContain('\\"arguments\\":{}');
    for (const args of [[1], 'x', 5]) {
      expect(await call('lab__echo', args)).toMatchObject({
        error: { code: -32602, message: expect.stringContaining('The parameter "arguments" of tools/call') },
      });
    }
    let deep: unknown = 'x';
    for (let level = 0; level < 2_000; level++) deep = { deep };
    expect(await call('lab__echo', { value: 'x', deep })).toMatchObject({
      result: { _meta: { 'fleet-mcp/error': { code: 'INVALID_INPUT', details: { reason: 'too_deep' } } } },
    });
  });
});

describe.each(CLIENTS)('an answer that is nested too deep: $mode over $over', (kind) => {
  it('fails its call alone', async () => {
    fleet.configure((config) => {
      (config['mcpServers'] as Record<string, object>)['deep'] = upstream('deep');
    });
    await using connected = await client(kind);
    const names = async () => (await connected.client.listTools()).tools.map(({ name }) => name);
    while (!(await names()).includes('deep__dig')) await new Promise((resolve) => setTimeout(resolve, 20));
    const failed = await connected.call('deep__dig');
    expect(JSON.parse(failed.content[0]?.text ?? '')).toMatchObject({
      error: { code: 'SERVICE_UNAVAILABLE', details: { reason: 'INVALID_RESPONSE' } },
    });
    expect((await connected.call('deep__work')).content[0]?.text).toBe('worked');
  });
});

describe('tools that change', () => {
  it.each(CLIENTS)('are announced, and routable: $mode over $over [ORCH-tools-follow]', async (kind) => {
    await using connected = await client(kind);
    if (connected.client.getProtocolEra() === 'modern')
      await connected.client.listen({ toolsListChanged: true });
    const name = `fresh-${kind.mode}-${kind.over}`.toLowerCase();
    fleet.configure((config) => {
      (config['mcpServers'] as Record<string, object>)[name] = upstream('plain');
    });
    await until(() => connected.changes > 0);
    for (;;) {
      const { tools } = await connected.client.listTools();
      if (tools.some((tool) => tool.name === `${name}__echo`)) break;
    }
    expect((await connected.call(`${name}__echo`, { value: 'here' })).structuredContent).toEqual({
      value: 'here',
    });
  });
});
