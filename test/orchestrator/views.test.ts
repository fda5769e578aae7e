import { describe, expect } from 'vitest';
import { runFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import { askableClient, type AskableClient, type AskableEndpoint } from './relay-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';

const it = fleetTest(() => fleetWith({ lab: upstream('plain'), books: upstream('library') }));
it.beforeAll(async ({ fleet }) => {
  fleet.configure((config) => {
    config['views'] = {
      lab: { servers: ['lab'] },
      looking: { read_only: true },
      own: { tools: ['list_agents'] },
      few: { tools: ['lab__e*', 'list_agents'] },
    };
  });
});

const MODES = ['legacy', 'auto'] as const;

/** Names of the tools once both servers are there, or one of them for a view that has no other. */
async function namesAt(
  served: ServedFleet,
  endpoint: AskableEndpoint,
  mode: 'legacy' | 'auto' = 'auto',
): Promise<readonly string[]> {
  await using whole = await askableClient('auto', served);
  await until(whole, 'lab__echo');
  await using client = await askableClient(mode, endpoint);
  return (await client.client.listTools()).tools.map(({ name }) => name);
}

async function until({ client }: AskableClient, name: string): Promise<void> {
  while (!(await client.listTools()).tools.some((tool) => tool.name === name));
}

const at = (served: ServedFleet, view: string): AskableEndpoint => ({
  mcp_url: `${served.mcp_url}/${view}`,
  token: served.token,
});

describe('a view', () => {
  it.for(MODES)('shows a part of the tools at a path of its own: %s', async (mode, { served }) => {
    const lab = await namesAt(served, at(served, 'lab'), mode);
    expect(lab).toContain('lab__echo');
    expect(lab.filter((name) => !name.startsWith('lab__'))).toEqual([]);
    expect(await namesAt(served, at(served, 'few'), mode)).toEqual([
      'list_agents',
      'lab__echo',
      'lab__environment',
      'lab__exit',
    ]);
    const looking = await namesAt(served, at(served, 'looking'), mode);
    expect(looking).toEqual(expect.arrayContaining(['list_agents', 'lab__echo']));
    expect(looking).not.toContain('lab__drop');
    expect(looking).not.toContain('create_agent');
  });

  it.for(MODES)('is also what can be called: %s', async (mode, { served }) => {
    await using client = await askableClient(mode, at(served, 'few'));
    expect((await client.call('lab__echo', { value: 'seen' })).structuredContent).toEqual({ value: 'seen' });
    expect((await client.call('list_agents')).isError).not.toBe(true);
    for (const name of ['lab__add', 'lab__drop', 'create_agent', 'list_approvals']) {
      const refused = await client.call(name, {});
      expect(refused.isError, name).toBe(true);
      expect(refused.content[0]?.text, name).toContain('"NOT_FOUND"');
    }
  });

  it.for([
    ['few', 'lab__zzzzzzzzzz', 'There are: list_agents, lab__echo, lab__environment, lab__exit.'],
    ['few', 'report_task', 'There are: list_agents, lab__echo, lab__environment, lab__exit.'],
    ['own', 'lab__echo', 'There are: list_agents.'],
    ['lab', 'list_agents', 'There are: lab__echo, lab__add,'],
  ] as const)('%s says of %s what there is instead', async ([view, name, said], { served }) => {
    await using whole = await askableClient('auto', served);
    await until(whole, 'lab__echo');
    await using client = await askableClient('auto', at(served, view));
    expect((await client.call(name)).content[0]?.text).toContain(said);
  });

  it('shows resources and prompts of its servers alone', async ({ served }) => {
    await using whole = await askableClient('auto', served);
    while (!(await whole.client.listResources()).resources.some(({ uri }) => uri.startsWith('book:')));
    await using client = await askableClient('auto', at(served, 'lab'));
    const { resources } = await client.client.listResources();
    expect(resources.filter(({ uri }) => uri.startsWith('book:'))).toEqual([]);
    const { prompts } = await client.client.listPrompts();
    expect(prompts.filter(({ name }) => name.startsWith('books__'))).toEqual([]);
  });

  it('is what a token made for it shows, and the token is good for nothing else', async ({
    fleet,
    served,
  }) => {
    const made = await runFleet(['token', 'create', 'few', '--view', 'few', '--json'], { env: fleet.env });
    const { token } = JSON.parse(made.stdout) as { token: string };
    expect(await namesAt(served, { ...served, token })).toEqual([
      'list_agents',
      'lab__echo',
      'lab__environment',
      'lab__exit',
    ]);
    // At the path of another view it shows what both show.
    expect(await namesAt(served, { mcp_url: `${served.mcp_url}/lab`, token })).not.toContain('list_agents');
    const response = await fetch(`${served.url}/api/v1/agents`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { error: { details: { reason: 'token_has_view' } } },
    ]);
  });

  it('is given to a client on stdio by --view; one that is not there is refused', async ({
    fleet,
    served,
  }) => {
    const endpoint = { env: fleet.env, args: ['--view', 'few'] };
    expect(await namesAt(served, endpoint)).toEqual([
      'list_agents',
      'lab__echo',
      'lab__environment',
      'lab__exit',
    ]);
    const refused = await runFleet(['mcp', '--view', 'nothing'], { env: fleet.env });
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringContaining('There is no view "nothing"'),
    ]);
    const response = await fetch(`${served.mcp_url}/nothing`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${served.token}`, 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { error: { details: { reason: 'no_such_view' } } },
    ]);
  });

  it('that names a server that is not there is an error of the configuration', async ({ fleet }) => {
    fleet.configure((config) => {
      config['views'] = { ...(config['views'] as object), wrong: { servers: ['labb'] } };
    });
    const said = await runFleet(['doctor'], { env: fleet.env });
    expect(said.stdout + said.stderr).toContain('did you mean "lab"?');
    fleet.configure((config) => delete (config['views'] as Record<string, object>)['wrong']);
  });
});
