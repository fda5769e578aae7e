import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runFleet, serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { askableClient, type AskableClient } from './relay-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';

let fleet: LocalFleet;
let log: string;
const opened = new Set<AsyncDisposable>();
beforeEach(() => {
  fleet = fleetWith({});
  log = join(fleet.directory, 'log');
});
afterEach(async () => {
  for (const each of [...opened].toReversed()) await each[Symbol.asyncDispose]();
  opened.clear();
  await fleet[Symbol.asyncDispose]();
});

const say = (hints: Readonly<Record<string, object | null>>): void =>
  writeFileSync(join(fleet.directory, 'hints.json'), JSON.stringify(hints));
const configure = (entry: object = {}): void =>
  fleet.configure((config) => {
    const env = { SHIFTY: join(fleet.directory, 'hints.json'), LAB_LOG: log };
    config['mcpServers'] = { lab: { ...upstream('shifty', { env }), ...entry } };
  });
const runs = (): number => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0);

async function serve(): Promise<ServedFleet> {
  const served = await serveFleet(fleet.env);
  opened.add(served);
  return served;
}

async function connect(endpoint: Parameters<typeof askableClient>[1]): Promise<AskableClient> {
  const client = await askableClient('auto', endpoint);
  opened.add(client);
  return client;
}

/** Looks at the list until the tool is what the test waits for. */
async function hintsOf(client: AskableClient, name: string, isSo: (hints: object) => boolean) {
  for (;;) {
    const { tools } = await client.client.listTools();
    const hints = tools.find((tool) => tool.name === name)?.annotations ?? {};
    if (isSo(hints)) return hints;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const has = (name: string) => async (client: AskableClient) => {
  const listed = async () => (await client.client.listTools()).tools.some((tool) => tool.name === name);
  while (!(await listed())) await new Promise((resolve) => setTimeout(resolve, 20));
};

async function textOf(client: AskableClient, name: string): Promise<string> {
  return (await client.call(name)).content[0]?.text ?? '';
}

describe('a tool that loosens what it says of itself', () => {
  it('stays gated, also after a restart, until the operator accepts it [ORCH-gate-held]', async () => {
    say({ drop: { destructiveHint: true, title: 'Drop' }, probe: null });
    configure();
    const served = await serve();
    const client = await connect(served);
    await has('lab__drop')(client);
    expect(await textOf(client, 'lab__drop')).toContain('APPROVAL_REQUIRED');
    // `probe` shows that the list was read again.
    say({ drop: { readOnlyHint: true, idempotentHint: true, title: 'Harmless' }, probe: null, fresh: null });
    await has('lab__fresh')(client);
    expect(await hintsOf(client, 'lab__drop', () => true)).toEqual({
      destructiveHint: true,
      title: 'Harmless',
    });
    expect(await textOf(client, 'lab__drop')).toContain('APPROVAL_REQUIRED');

    const again = await connect({ env: fleet.env });
    expect(await textOf(again, 'lab__drop')).toContain('APPROVAL_REQUIRED');
    const shown = await runFleet(['tools'], { env: fleet.env });
    expect(shown.stderr).toContain(
      'lab__drop is held at its stricter readOnlyHint, destructiveHint, idempotentHint until you run: fleet tools accept lab',
    );
    expect(runs()).toBe(0);

    const accepted = await runFleet(['tools', 'accept', 'lab', '--json'], { env: fleet.env });
    expect(JSON.parse(accepted.stdout)).toEqual({
      server: 'lab',
      accepted: [{ tool: 'lab__drop', loosened: ['readOnlyHint', 'destructiveHint', 'idempotentHint'] }],
    });
    await hintsOf(client, 'lab__drop', (hints) => 'readOnlyHint' in hints);
    expect(await textOf(client, 'lab__drop')).toBe('ran drop');
    expect((await runFleet(['tools', 'accept', 'lab'], { env: fleet.env })).stdout).toContain(
      'Nothing to accept',
    );
  });

  it('is held when it was away in between, and a caller who may only look does not get it', async () => {
    say({ change: null, probe: { readOnlyHint: true } });
    configure();
    const served = await serve();
    const client = await connect(served);
    await has('lab__change')(client);
    say({ probe: { readOnlyHint: true } });
    while ((await client.client.listTools()).tools.some(({ name }) => name === 'lab__change'));
    say({ change: { readOnlyHint: true, destructiveHint: false }, probe: { readOnlyHint: true } });
    await has('lab__change')(client);
    const made = await runFleet(['token', 'create', 'looker', '--scopes', 'read'], { env: fleet.env });
    const looker = await connect({ ...served, token: made.stdout.trim() });
    expect(await textOf(looker, 'lab__probe')).toBe('ran probe');
    expect(await textOf(looker, 'lab__change')).toContain('FORBIDDEN');
  });
});

it('a tool that tightens what it says of itself is gated at once', async () => {
  say({ drop: { readOnlyHint: true } });
  configure();
  const client = await connect(await serve());
  await has('lab__drop')(client);
  expect(await textOf(client, 'lab__drop')).toBe('ran drop');
  say({ drop: { destructiveHint: true } });
  await hintsOf(client, 'lab__drop', (hints) => 'destructiveHint' in hints);
  expect(await textOf(client, 'lab__drop')).toContain('APPROVAL_REQUIRED');
  say({ drop: { readOnlyHint: true }, fresh: null });
  await has('lab__fresh')(client);
  expect(await textOf(client, 'lab__drop')).toContain('APPROVAL_REQUIRED');
});

it('approve: writes gates every tool that says neither read-only nor not destructive [ORCH-gate-writes]', async () => {
  say({
    silent: null,
    looks: { readOnlyHint: true },
    adds: { destructiveHint: false },
    lies: { readOnlyHint: true, destructiveHint: true },
  });
  configure({ approve: 'writes' });
  const client = await connect(await serve());
  await has('lab__silent')(client);
  const gated: Record<string, boolean> = {};
  for (const name of ['silent', 'looks', 'adds', 'lies'])
    gated[name] = (await textOf(client, `lab__${name}`)).includes('APPROVAL_REQUIRED');
  expect(gated).toEqual({ silent: true, looks: false, adds: false, lies: true });
});
