import { describe, expect, it } from 'vitest';
import type { Caller } from '../../domain/principal.ts';
import { checkManifest } from './check-manifest.ts';
import { RegistryAgent } from './registry-agent.ts';
import type { RegistryTool, ToolRegistry } from './tool-registry.ts';

const caller: Caller = {
  principal: { kind: 'user', name: 'me' },
  door: 'cli',
  source: 'human',
  scopes: new Set(['read']),
};
const call = { caller, correlation_id: 'c' };

const add: RegistryTool = {
  name: 'add',
  description: 'Adds',
  parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  examples: ['add 1'],
  category: 'sums',
  run: async ({ a }) => Number(a) + 1,
};

function registry(change: Partial<ToolRegistry> = {}): ToolRegistry {
  return { id: 'sums', name: 'Sums', capabilities: ['sums', 'plain-maths'], tools: [add], ...change };
}

describe('a registry agent', () => {
  it('offers the tools of its registry, whole [ORCH-registry-agent, TOOLDEF-fields, MANIFEST-fields]', () => {
    expect(new RegistryAgent(registry()).manifest).toEqual({
      id: 'sums',
      name: 'Sums',
      capabilities: ['sums', 'plain-maths'],
      requiresApproval: false,
      tools: [
        {
          name: 'add',
          description: 'Adds',
          parameters: add.parameters,
          examples: ['add 1'],
          category: 'sums',
        },
      ],
    });
    expect(new RegistryAgent(registry()).offered).toMatchObject([
      { name: 'add', server: 'sums', tool: { inputSchema: add.parameters }, gated: false },
    ]);
    expect(new RegistryAgent(registry({ tools: [] })).manifest.tools).toEqual([]);
    expect(() => checkManifest(new RegistryAgent(registry()).manifest, 'another')).toThrow(
      /must be "another"/,
    );
  });

  it('needs approval exactly when one of its tools does [MANIFEST-approval]', () => {
    const gated = { ...add, name: 'drop', gated: true };
    expect(new RegistryAgent(registry({ tools: [add, gated] })).manifest.requiresApproval).toBe(true);
    expect(new RegistryAgent(registry()).manifest.requiresApproval).toBe(false);
  });

  it.each(['Sums', '1sums', 'sums_', '', 'sums!'])('is refused with the id %j [TOOLAGENT-id]', (id) => {
    expect(() => new RegistryAgent(registry({ id }))).toThrow(/id is lowercase letters/);
  });

  it.each(['', '  '])('is refused with the name %j [TOOLAGENT-name]', (name) => {
    expect(() => new RegistryAgent(registry({ name }))).toThrow(/name .* must not be empty/);
  });

  it.each(['Web', 'web search', 'web_search', '-web'])(
    'is refused with the capability %j [MANIFEST-capabilities]',
    (capability) => {
      expect(() => new RegistryAgent(registry({ capabilities: [capability] }))).toThrow(/lowercase words/);
    },
  );

  it.each(['Add', '2add', 'add-it', 'add it'])('is refused with a tool named %j [TOOLDEF-name]', (name) => {
    expect(() => new RegistryAgent(registry({ tools: [{ ...add, name }] }))).toThrow(/name of a tool/);
  });

  it('is refused with two tools of one name, or parameters that are not an object [TOOLDEF-parameters-object]', () => {
    expect(() => new RegistryAgent(registry({ tools: [add, add] }))).toThrow(/there twice/);
    for (const parameters of [{ type: 'array' }, { type: ['object', 'null'] }, {}, { properties: {} }])
      expect(() => new RegistryAgent(registry({ tools: [{ ...add, parameters }] }))).toThrow(/type "object"/);
  });

  it('goes through its states, and back [TOOLAGENT-states]', async () => {
    const agent = new RegistryAgent(registry());
    await agent.initialize();
    expect(agent.state).toBe('initialized');
    await agent.execute('add', { a: 1 }, call);
    expect(agent.state).toBe('running');
    await agent.shutdown();
    expect(agent.state).toBe('stopped');
    await expect(agent.execute('add', { a: 1 }, call)).rejects.toMatchObject({
      details: { reason: 'AGENT_UNAVAILABLE' },
    });
    await agent.initialize();
    expect(agent.state).toBe('initialized');
  });

  it('gives data or an error, and says which argument is wrong [TOOLRESULT-shape]', async () => {
    const fails = { ...add, name: 'fail', run: async () => Promise.reject(new Error('secret inside')) };
    const agent = new RegistryAgent(registry({ tools: [add, fails] }));
    await agent.initialize();
    expect(await agent.execute('add', { a: 1 }, call)).toEqual({ success: true, data: 2 });
    expect(await agent.execute('fail', { a: 1 }, call)).toMatchObject({
      success: false,
      error: expect.not.stringContaining('secret') as string,
    });
    await expect(agent.execute('add', { a: 'x' }, call)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { field: 'a' },
    });
    await expect(agent.execute('add', {}, call)).rejects.toMatchObject({ details: { field: 'a' } });
  });
});
