import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveFleet, type ServedFleet } from '../support/fleet-process.ts';
import type { LocalFleet } from '../support/local-fleet.ts';
import { askableClient } from './relay-clients.ts';
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

describe.each(['legacy', 'auto'] as const)('what a server has beside tools: %s', (mode) => {
  it('passes through the door, beside the fleet’s own', async () => {
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
