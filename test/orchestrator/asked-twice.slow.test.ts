import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postMcp } from '../server/raw-mcp.ts';
import { runFleet, serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { askableClient, type Answer, CLIENTS } from './relay-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';

let fleet: LocalFleet;
let served: ServedFleet;
let log: string;
beforeAll(async () => {
  fleet = fleetWith({});
  log = join(fleet.directory, 'log');
  fleet.configure((config) => {
    config['mcpServers'] = { lab: upstream('inquirer', { env: { LAB_LOG: log } }) };
  });
  served = await serveFleet(fleet.env);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await fleet[Symbol.asyncDispose]();
});

const logged = (line: string): number => readFileSync(log, 'utf8').split(`${line}\n`).length - 1;
const answering =
  (word: string) =>
  (message: string): Answer =>
    message.startsWith('Allow ')
      ? { action: 'accept', content: { allow: true } }
      : { action: 'accept', content: { answer: word } };

describe.each(CLIENTS)('a gated tool that asks its own user: $mode over $over', ({ mode, over }) => {
  it('finishes after one approval, however often it asks [MCP-approval-carried]', async () => {
    const word = `${mode}-${over}`;
    await using client = await askableClient(
      mode,
      over === 'HTTP' ? served : { env: fleet.env },
      answering(word),
    );
    expect((await client.call('lab__once')).content[0]?.text).toBe(`done because of ${word}`);
    expect(client.questions).toEqual([
      expect.stringContaining('Allow lab__once once'),
      'The MCP server "lab" asks: Why?',
    ]);
    client.questions.length = 0;
    expect((await client.call('lab__often')).content[0]?.text).toBe(`done with ${word} ${word} ${word}`);
    expect(client.questions).toEqual([
      expect.stringContaining('Allow lab__often once'),
      'The MCP server "lab" asks: Question 1?',
      'The MCP server "lab" asks: Question 2?',
      'The MCP server "lab" asks: Question 3?',
    ]);
    expect([logged(`once because of ${word}`), logged(`often ${word} ${word} ${word}`)]).toEqual([1, 1]);
  });
});

describe('the approval that travels with the state', () => {
  const call = async (args: object, more: object = {}, capabilities: object = { elicitation: {} }) => {
    const params = {
      name: 'lab__once',
      arguments: args,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': capabilities,
      },
      ...more,
    };
    const { message } = await postMcp(served, { id: 1, method: 'tools/call', params });
    return message.result as Record<string, unknown> & { requestState: string };
  };
  const allow = { approval: { action: 'accept', content: { allow: true } } };
  const because = (answer: string) => ({ why: { action: 'accept', content: { answer } } });
  const refused = {
    isError: true,
    _meta: { 'fleet-mcp/error': { code: 'FORBIDDEN', details: { reason: 'bad_state' } } },
  };

  it('is for the same arguments, and ends with the call', async () => {
    const first = await call({ what: 'state' });
    const asked = await call({ what: 'state' }, { requestState: first.requestState, inputResponses: allow });
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { why: {} } });
    const { requestState } = asked;
    const inputResponses = because('raw');
    expect(await call({ what: 'another' }, { requestState, inputResponses })).toMatchObject(refused);
    // A state that asks is not one that was approved.
    const unasked = (await call({ what: 'state' })).requestState.replace('approval', 'approved');
    expect(await call({ what: 'state' }, { requestState: unasked, inputResponses })).toMatchObject(refused);
    expect(await call({ what: 'state' }, { requestState, inputResponses })).toMatchObject({
      content: [{ text: 'done because of raw' }],
    });
    expect(await call({ what: 'state' }, { requestState, inputResponses })).toMatchObject(refused);
    expect(logged('once because of raw')).toBe(1);
  });

  it('lasts as long when the approval was given to the fleet', async () => {
    const cannotAsk = { sampling: {} };
    const waits = await call({ what: 'pending' }, {}, cannotAsk);
    expect(waits).toMatchObject({ isError: true });
    const { details } = (waits['_meta'] as Record<string, { details: { id: string } }>)['fleet-mcp/error']!;
    expect((await runFleet(['approve', details.id], { env: fleet.env })).code).toBe(0);
    const { requestState } = await call({ what: 'pending' }, {}, cannotAsk);
    const more = { requestState, inputResponses: because('pending') };
    expect(await call({ what: 'pending' }, more, cannotAsk)).toMatchObject({
      content: [{ text: 'done because of pending' }],
    });
    expect(await call({ what: 'pending' }, {}, cannotAsk)).toMatchObject({
      _meta: { 'fleet-mcp/error': { code: 'APPROVAL_REQUIRED' } },
    });
  });
});
