import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { isReady, poolWith } from './pool-under-test.ts';
import { askableClient, type AskableClient, CLIENTS, type ClientKind } from './relay-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';

let fleet: LocalFleet;
let served: ServedFleet;
beforeAll(async () => {
  fleet = fleetWith({ lib: upstream('library') });
  served = await serveFleet(fleet.env);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await fleet[Symbol.asyncDispose]();
});

/** A client, and what it is told under a method. */
async function listening({ mode, over }: ClientKind, method: string): Promise<[AskableClient, object[]]> {
  const connected = await askableClient(mode, over === 'HTTP' ? served : { env: fleet.env });
  const told: object[] = [];
  connected.client.fallbackNotificationHandler = async (told_) => {
    if (told_.method === method) told.push(told_.params ?? {});
  };
  await connected.call('lib__work');
  return [connected, told];
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe.each(CLIENTS)('what a server says unasked: $mode over $over', (kind) => {
  it('that a resource has changed, to those who follow it', async () => {
    const [connected, told] = await listening(kind, 'notifications/resources/updated');
    await using client = connected;
    const uri = `page://${kind.mode}-${kind.over}`;
    if (client.client.getProtocolEra() === 'modern')
      await client.client.listen({ resourceSubscriptions: [uri] });
    else await client.client.subscribeResource({ uri });
    await until(async () => {
      const { content } = await client.call('lib__rewrite', { uri });
      return content[0]?.text.includes(uri) === true;
    });
    await until(() => told.length > 0);
    expect(told[0]).toMatchObject({ uri });
    // A session over HTTP outlives its client for a while.
    if (client.client.getProtocolEra() === 'legacy') await client.client.unsubscribeResource({ uri });
    await client.client.close();
    await using other = await askableClient('legacy', served);
    await until(
      async () => !((await other.call('lib__rewrite', { uri })).content[0]?.text ?? '').includes(uri),
    );
  });

  it('that its resources are others', async () => {
    const [connected, told] = await listening(kind, 'notifications/resources/list_changed');
    await using client = connected;
    if (client.client.getProtocolEra() === 'modern')
      await client.client.listen({ resourcesListChanged: true });
    const name = `${kind.mode}-${kind.over}`;
    await client.call('lib__publish', { name });
    await until(() => told.length > 0);
    const { resources } = await client.client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain(`book://${name}`);
  });
});

describe('the log of a server', () => {
  const told = (params: object[]) => params.map((each) => (each as { data: unknown }).data);

  it.each(CLIENTS.filter(({ mode }) => mode === 'legacy'))(
    'is told to the client whose call it belongs to, from the level that it wants: $mode over $over',
    async (kind) => {
      const [connected, heard] = await listening(kind, 'notifications/message');
      await using client = connected;
      await client.client.setLoggingLevel('notice');
      await until(async () => (await client.call('lib__log')).content[0]?.text !== 'warning');
      await until(() => told(heard).includes('a word of error'));
      expect(told(heard)).toContain('a word of notice');
      expect(told(heard)).not.toContain('a word of info');
    },
  );

  it('is sent to every client when no call runs', async () => {
    const [one, first] = await listening({ mode: 'legacy', over: 'HTTP' }, 'notifications/message');
    const [two, second] = await listening({ mode: 'legacy', over: 'stdio' }, 'notifications/message');
    await using _one = one;
    await using _two = two;
    await one.call('lib__log_later');
    await until(() => told(first).includes('said later') && told(second).includes('said later'));
  });

  it('and what is followed are asked for again after the server was lost', async () => {
    await using pool = await poolWith({ lib: upstream('library') }, { limits: { backoff_ms: 10 } });
    await pool.until('lib', isReady);
    const ask = (method: string, params: object) =>
      pool.servers.request('lib', { method, params: { ...params }, owner: 'test' });
    await ask('resources/subscribe', { uri: 'book://one' });
    await ask('logging/setLevel', { level: 'debug' });
    const { pid = 0 } = pool.connection('lib');
    process.kill(pid, 'SIGKILL');
    await pool.until('lib', (connection) => isReady(connection) && connection.pid !== pid);
    expect(await pool.call('lib__rewrite', { uri: 'none' })).toMatchObject({
      data: [{ text: 'book://one' }],
    });
    expect(await pool.call('lib__log')).toMatchObject({ data: [{ text: 'debug' }] });
  });
});
