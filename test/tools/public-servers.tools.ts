import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askableClient, type AskableClient } from '../orchestrator/relay-clients.ts';
import { fleetWith } from '../orchestrator/upstream-place.ts';
import { serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { programOf, PUBLIC_SERVERS, without } from './packages.ts';

type Name = keyof typeof PUBLIC_SERVERS;

const place = mkdtempSync(join(tmpdir(), 'fleet-public-'));
let fleet: LocalFleet;
let served: ServedFleet;
beforeAll(async () => {
  const extra: Partial<Record<Name, object>> = {
    filesystem: { args: [programOf(PUBLIC_SERVERS.filesystem), place] },
    memory: { env: { MEMORY_FILE_PATH: join(place, 'memory.json') } },
  };
  const servers = Object.entries(PUBLIC_SERVERS).flatMap(([name, wanted]) => {
    const program = programOf(wanted);
    if (program === undefined) return [];
    const entry = { command: process.execPath, args: [program], timeout: 30_000 };
    return [[name, { ...entry, ...extra[name as Name] }]];
  });
  fleet = fleetWith(Object.fromEntries(servers) as Record<string, object>);
  served = await serveFleet(fleet.env);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await fleet[Symbol.asyncDispose]();
  rmSync(place, { recursive: true, force: true });
});

const textOf = ({ content }: { content: { text: string }[] }): string => content[0]?.text ?? '';

/** Once its server is there. */
async function clientFor(server: Name, mode: 'legacy' | 'auto'): Promise<AskableClient> {
  const connected = await askableClient(mode, served, () => ({ action: 'accept', content: { allow: true } }));
  const has = async (): Promise<boolean> => {
    const { tools } = await connected.client.listTools();
    return tools.some(({ name }) => name.startsWith(`${server}__`));
  };
  while (!(await has())) await new Promise((resolve) => setTimeout(resolve, 50));
  return connected;
}

const USES: Readonly<Record<Name, (client: AskableClient) => Promise<void>>> = {
  everything: async (client) => {
    expect(textOf(await client.call('everything__echo', { message: 'hello' }))).toContain('hello');
    const long = { duration: 1, steps: 3 };
    const name = 'everything__trigger-long-running-operation';
    expect(textOf(await client.call(name, long, { onprogress: () => {} }))).toContain('completed');
    expect(client.progress).toHaveLength(3);
    const { structuredContent } = await client.call('everything__get-structured-content', {
      location: 'New York',
    });
    expect(structuredContent).toHaveProperty('temperature');
    const { resources } = await client.client.listResources();
    expect(resources.length).toBeGreaterThan(1);
    const { prompts } = await client.client.listPrompts();
    expect(prompts.some(({ name: prompt }) => prompt.startsWith('everything__'))).toBe(true);
  },
  filesystem: async (client) => {
    const path = join(place, 'note.txt');
    writeFileSync(path, 'a note\n');
    expect(textOf(await client.call('filesystem__read_text_file', { path }))).toContain('a note');
    await client.call('filesystem__write_file', { path, content: 'another\n' });
    // It says that it destroys: the user was asked.
    expect(client.questions).toEqual([expect.stringContaining('Allow filesystem__write_file once')]);
    expect(readFileSync(path, 'utf8')).toBe('another\n');
  },
  memory: async (client) => {
    const entities = [{ name: 'Fleet', entityType: 'program', observations: ['it runs agents'] }];
    await client.call('memory__create_entities', { entities });
    expect(textOf(await client.call('memory__search_nodes', { query: 'agents' }))).toContain('Fleet');
  },
  thinking: async (client) => {
    const thought = { thought: 'first', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
    expect(textOf(await client.call('thinking__sequentialthinking', thought))).toContain('thoughtNumber');
  },
  runner: async (client) => {
    const code = { code: 'console.log(6 * 7)', languageId: 'javascript' };
    expect(textOf(await client.call('runner__run-code', code))).toContain('42');
  },
};

describe.each(Object.keys(PUBLIC_SERVERS) as Name[])('the public server %s', (name) => {
  const { missing, why } = without(PUBLIC_SERVERS[name]);
  it.skipIf(missing).each(['legacy', 'auto'] as const)(
    `is used through the relay${why}: %s`,
    async (mode) => {
      await using client = await clientFor(name, mode);
      await USES[name](client);
    },
  );
});
