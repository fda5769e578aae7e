import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFleet, serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { askableClient, type Answer, CLIENTS, type ClientKind } from './relay-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';

const MODULE = `
interface Call { readonly signal: AbortSignal; progress(message: string): void }
const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
export const tools = [
  {
    name: 'count',
    description: 'Counts letters',
    parameters: object({ text: { type: 'string' } }, ['text']),
    annotations: { readOnlyHint: true },
    run: ({ text }: { text: string }, { progress }: Call) => {
      progress('counting');
      return { letters: text.length };
    },
  },
  { name: 'break', description: 'Fails', parameters: object({}), run: () => { throw new Error('it broke'); } },
  { name: 'cycle', description: 'Turns', parameters: object({}), run: () => { const a: Record<string, unknown> = {}; a.a = a; return a; } },
  {
    name: 'wipe',
    description: 'Wipes',
    parameters: object({}),
    annotations: { destructiveHint: true },
    run: async () => 'wiped',
  },
];
`;

let fleet: LocalFleet;
let served: ServedFleet;
beforeAll(async () => {
  fleet = fleetWith({ lab: upstream('plain') });
  writeFileSync(join(fleet.directory, 'tools.ts'), MODULE);
  fleet.configure((config) => {
    config['tool_modules'] = { mine: './tools.ts' };
    config['approve_tools'] = ['delete_agent'];
  });
  served = await serveFleet(fleet.env);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await fleet[Symbol.asyncDispose]();
});
const client = ({ mode, over }: ClientKind, answer?: (message: string) => Answer) =>
  askableClient(mode, over === 'HTTP' ? served : { env: fleet.env }, answer);
const yes = (): Answer => ({ action: 'accept', content: { allow: true } });
const no = (): Answer => ({ action: 'decline' });

describe.each(CLIENTS)('an own operation that a rule names: $mode over $over', (kind) => {
  it('asks before it acts; the others do not [MCP-rule-asks]', async () => {
    await using refusing = await client(kind, no);
    const refused = await refusing.call('delete_agent', { agent_name: 'nobody' });
    expect(refusing.questions[0]).toContain('Allow delete_agent once');
    expect(refused.content[0]?.text).toContain('approval_denied');
    await using allowing = await client(kind, yes);
    const allowed = await allowing.call('delete_agent', { agent_name: 'nobody' });
    expect(allowed.content[0]?.text).toContain('NOT_FOUND');
    await allowing.call('list_agents');
    await allowing.call('stop_agent', { agent_name: 'nobody' });
    expect(allowing.questions).toHaveLength(1);
  });
});

describe.each(CLIENTS)("a module of the user's own: $mode over $over", (kind) => {
  it('offers its tools, which are checked, may fail and may ask', async () => {
    await using connected = await client(kind, yes);
    const { tools } = await connected.client.listTools();
    expect(tools.filter(({ name }) => name.startsWith('mine__'))).toMatchObject([
      { name: 'mine__count', description: 'Counts letters', annotations: { readOnlyHint: true } },
      { name: 'mine__break' },
      { name: 'mine__cycle' },
      { name: 'mine__wipe' },
    ]);
    const counted = await connected.call('mine__count', { text: 'four' }, { onprogress: () => {} });
    expect([counted.structuredContent, connected.progress]).toEqual([{ letters: 4 }, [1]]);
    const wrong = await connected.call('mine__count', { text: 4 });
    expect(wrong.content[0]?.text).toContain('The argument \\"text\\" of mine__count is not valid');
    const failed = await connected.call('mine__break');
    expect([failed.isError, JSON.parse(failed.content[0]?.text ?? '')]).toEqual([
      true,
      {
        error: {
          code: 'SERVICE_UNAVAILABLE',
          message: 'The tool mine__break failed: it broke',
          details: {
            reason: 'TOOL_EXECUTION_FAILED',
            tool: 'mine__break',
            correlation_id: expect.any(String) as string,
          },
        },
      },
    ]);
    const turned = (await connected.call('mine__cycle')).content[0]?.text;
    expect(turned).toContain('The tool mine__cycle failed: its answer cannot be written as JSON');
    expect(turned).not.toContain('    at ');
    expect((await connected.call('mine__wipe')).content[0]?.text).toBe('wiped');
    expect(connected.questions).toEqual([expect.stringContaining('Allow mine__wipe once')]);
  });
});

describe('modules', () => {
  it('come and go with the configuration; one that cannot be used is reported and does not delay the others', async () => {
    await using connected = await client({ mode: 'auto', over: 'HTTP' });
    await connected.client.listen({ toolsListChanged: true });
    writeFileSync(join(fleet.directory, 'broken.mjs'), 'export const tools = [{ name: "x" }];');
    writeFileSync(join(fleet.directory, 'other.ts'), MODULE);
    const before = connected.changes;
    fleet.configure((config) => {
      config['tool_modules'] = { broken: './broken.mjs', theirs: './other.ts' };
    });
    while (connected.changes === before) await new Promise((resolve) => setTimeout(resolve, 20));
    const names = async () => (await connected.client.listTools()).tools.map(({ name }) => name);
    while (!(await names()).includes('theirs__count'));
    expect((await names()).filter((name) => name.startsWith('mine__'))).toEqual([]);
    const shown = await runFleet(['tools'], { env: fleet.env });
    expect(shown.stderr).toContain('The tool module "broken"');
  });
});

describe('when clients are not to be asked', () => {
  it.each(CLIENTS)(
    'a call waits for the fleet itself: $mode over $over [MCP-approval-not-agent]',
    async (kind) => {
      fleet.configure((config) => (config['ask_clients'] = false));
      await using connected = await client(kind, yes);
      // A server that runs takes the configuration within a second.
      let text = '';
      do text = (await connected.call('lab__drop', { what: 'it' })).content[0]?.text ?? '';
      while (text === 'dropped it');
      expect(text).toContain('APPROVAL_REQUIRED');
    },
  );
});
