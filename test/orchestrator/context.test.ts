import { describe, expect } from 'vitest';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { askableClient } from './relay-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';

const it = fleetTest(() => fleetWith({ lib: upstream('library') }));

describe.each(['legacy', 'auto'] as const)('what a server has beside tools: %s', (mode) => {
  it('passes through the relay, beside the fleet’s own', async ({ served }) => {
    await using connected = await askableClient(mode, served);
    const { client } = connected;
    await connected.call('lib__work');
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['fleet://agents', 'book://one']);
    const templates = (await client.listResourceTemplates()).resourceTemplates.map(
      (each) => each.uriTemplate,
    );
    expect(templates).toContain('page://{number}');
    for (const uri of ['book://one', 'page://7']) {
      expect((await client.readResource({ uri })).contents).toEqual([
        { uri, mimeType: 'text/plain', text: `content of ${uri}`, _meta: { kept: true } },
      ]);
    }
    await expect(client.readResource({ uri: 'page://404' })).rejects.toThrow('no such page');
    await expect(client.readResource({ uri: 'nothing://here' })).rejects.toThrow();
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('lib__greet');
    const { messages } = await client.getPrompt({ name: 'lib__greet', arguments: { who: 'you' } });
    expect(messages[0]?.content).toMatchObject({ text: 'greet you' });
    const argument = { name: 'who', value: 'a' };
    const prompt = await client.complete({ ref: { type: 'ref/prompt', name: 'lib__greet' }, argument });
    expect(prompt.completion.values).toEqual(['a-greet']);
    const page = await client.complete({ ref: { type: 'ref/resource', uri: 'page://{number}' }, argument });
    expect(page.completion.values).toEqual(['a-page://{number}']);
  });
});

describe.each(['legacy', 'auto'] as const)('a resource that a result links to: %s', (mode) => {
  it('is read from the server that named it, by the client that got the result [ORCH-linked-resource]', async ({
    fleet,
    served,
  }) => {
    await using connected = await askableClient(mode, served);
    const { client } = connected;
    const uri = `secret://${mode}`;
    await expect(client.readResource({ uri })).rejects.toThrow();
    await connected.call('lib__link', { uri });
    for (const linked of [uri, `${uri}#inside`]) {
      expect((await client.readResource({ uri: linked })).contents).toMatchObject([
        { uri: linked, text: `content of ${linked}` },
      ]);
    }
    const made = await runFleet(['token', 'create', `other-${mode}`], { env: fleet.env });
    await using other = await askableClient(mode, { ...served, token: made.stdout.trim() });
    await expect(other.client.readResource({ uri })).rejects.toThrow();
  });
});
