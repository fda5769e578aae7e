import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameTools, offeredName, type NamedServer } from './tool-names.ts';

const tools = (...names: string[]) => names.map((name) => ({ name }));

describe('names of upstream tools', () => {
  it('have the server before them unless it wants bare ones, and never one of the fleet [ORCH-names-prefixed]', () => {
    const servers: NamedServer[] = [
      { server: 'files', prefix: true, tools: tools('read', 'write_it') },
      { server: 'bare', prefix: false, tools: tools('search') },
    ];
    expect(nameTools(servers, ['list_agents']).tools.map(({ name }) => name)).toEqual([
      'files__read',
      'files__write_it',
      'search',
    ]);
  });

  it('are what every client takes, and shortened the same way every time [ORCH-names-shortened]', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300, size: 'max' }),
        fc.string({ minLength: 1 }),
        (tool, server) => {
          const name = offeredName(server, tool);
          expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
          expect(offeredName(server, tool)).toBe(name);
        },
      ),
    );
    const long = 'n'.repeat(100);
    expect(offeredName('lab', long)).toHaveLength(64);
    expect(offeredName('lab', `${long}a`)).not.toBe(offeredName('lab', `${long}b`));
  });

  it('that collide are reported, and every tool keeps one of its own [ORCH-names-collision]', () => {
    const { tools: named, collisions } = nameTools(
      [
        { server: 'one', prefix: false, tools: tools('search', 'list_agents') },
        { server: 'two', prefix: false, tools: tools('search') },
        { server: 'a', prefix: true, tools: tools('b__c') },
        { server: 'a__b', prefix: true, tools: tools('c') },
      ],
      ['list_agents'],
    );
    expect(named.slice(0, 4).map(({ name }) => name)).toEqual([
      'search',
      'one__list_agents',
      'two__search',
      'a__b__c',
    ]);
    expect(named[4]?.name).toMatch(/^a__b__c_[0-9a-f]{8}$/);
    expect(collisions.map(({ server, tool, offered_as }) => [server, tool, offered_as])).toEqual([
      ['one', 'list_agents', 'one__list_agents'],
      ['two', 'search', 'two__search'],
      ['a__b', 'c', named[4]?.name],
    ]);
  });

  it('are never the same for two tools', () => {
    const server = fc.record({
      server: fc.constantFrom('a', 'a__b', 'b'),
      prefix: fc.boolean(),
      tools: fc.array(fc.record({ name: fc.constantFrom('x', 'b__x', 'a__x', 'x y', 'x_y', 'é') })),
    });
    fc.assert(
      fc.property(fc.uniqueArray(server, { selector: (each) => each.server }), (servers) => {
        const { tools: named, collisions } = nameTools(servers, ['x']);
        const names = named.map(({ name }) => name);
        expect(new Set([...names, 'x']).size).toBe(names.length + 1);
        const all = servers.reduce((count, each) => count + each.tools.length, 0);
        expect(named.length + collisions.filter(({ offered_as }) => offered_as === null).length).toBe(all);
      }),
    );
  });
});
