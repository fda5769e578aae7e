import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RegistryAgent } from '../../src/orchestrator/tool-agents/registry-agent.ts';
import type { ToolAgentFactory } from '../../src/orchestrator/tool-agents/tool-agent.ts';
import { isReady, poolWith, readyPool } from './pool-under-test.ts';
import { upstream } from './upstream-place.ts';

function registry(id: string, tool: string): RegistryAgent {
  const parameters = { type: 'object' };
  const run = async () => `${tool} ran`;
  return new RegistryAgent({
    id,
    name: id,
    capabilities: [],
    tools: [{ name: tool, description: '', parameters, run }],
  });
}

describe('the orchestrator', () => {
  it('routes a call to the agent that has its tool, made only when it is needed [ORCH-parts, ORCH-route, ORCH-definitions]', async () => {
    await using pool = await readyPool('plain');
    const { orchestrator } = pool;
    await orchestrator.register(registry('own', 'greet'));
    let made = 0;
    const late: ToolAgentFactory = {
      id: 'late',
      tools: registry('late', 'come').manifest.tools,
      create: () => {
        made += 1;
        return registry('late', 'come');
      },
    };
    await orchestrator.register(late);
    const names = orchestrator.getToolDefinitions().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['greet', 'come', 'lab__echo']));
    expect([orchestrator.agents.has('late'), orchestrator.factories.has('late'), made]).toEqual([
      false,
      true,
      0,
    ]);
    expect(await pool.call('greet')).toEqual({ success: true, data: 'greet ran' });
    expect(await pool.call('come')).toEqual({ success: true, data: 'come ran' });
    expect(await pool.call('come')).toEqual({ success: true, data: 'come ran' });
    expect(await pool.call('lab__add', { a: 2, b: 3 })).toEqual({
      success: true,
      data: [{ type: 'text', text: '5' }],
    });
    expect([orchestrator.agents.has('late'), made]).toEqual([true, 1]);
    expect(Object.fromEntries(orchestrator.toolToAgent)).toMatchObject({
      greet: 'own',
      come: 'late',
      lab__echo: 'mcp-lab',
    });
    expect(orchestrator.mcpManager).toBe(pool.servers);
  });

  it('has each id and each tool once [TOOLDEF-unique]', async () => {
    await using pool = await poolWith({});
    await pool.orchestrator.register(registry('own', 'greet'));
    await expect(pool.orchestrator.register(registry('own', 'other'))).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await expect(pool.orchestrator.register(registry('two', 'greet'))).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect([...pool.orchestrator.toolToAgent]).toEqual([['greet', 'own']]);
  });

  it('says when there is no such tool, and the nearest there is [ORCH-tool-not-found]', async () => {
    await using pool = await readyPool('plain');
    await expect(pool.call('lab__ecko')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('Did you mean "lab__echo"?') as string,
      details: { reason: 'TOOL_NOT_FOUND' },
    });
  });

  it('needs nothing of its earlier run to offer and route the same tools [ORCH-stateless]', async () => {
    await using first = await readyPool('plain');
    await using second = await readyPool('plain');
    expect([...second.orchestrator.toolToAgent]).toEqual([...first.orchestrator.toolToAgent]);
    expect(await second.call('lab__add', { a: 1, b: 1 })).toMatchObject({ success: true });
  });

  it('offers what its servers say, whole [ORCH-mcp-agent, ORCH-schema-whole]', async () => {
    await using pool = await readyPool('plain');
    const agent = pool.orchestrator.agents.get('mcp-lab');
    expect(agent?.manifest.tools.find(({ name }) => name === 'lab__echo')?.parameters).toEqual({
      type: 'object',
      properties: {
        value: { type: 'string' },
        kind: { enum: ['a', 'b'] },
        deep: { type: 'object', properties: { list: { type: 'array', items: { type: 'integer' } } } },
      },
      required: ['value'],
    });
    expect(agent?.manifest.tools).toHaveLength(pool.connection('lab').tools.length);
  });

  it('checks the arguments first, and names the one at fault', async () => {
    await using pool = await readyPool('plain');
    const wrong: [object, string][] = [
      [{}, 'value'],
      [{ value: 7 }, 'value'],
      [{ value: 'x', kind: 'c' }, 'kind'],
      [{ value: 'x', deep: { list: [1, 'two'] } }, 'deep.list.1'],
    ];
    for (const [args, field] of wrong) {
      await expect(pool.call('lab__echo', args)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        details: { field },
      });
    }
  });

  it('takes an upstream isError for a failure [ORCH-upstream-error]', async () => {
    await using pool = await readyPool('plain');
    expect(await pool.call('lab__fail')).toMatchObject({ success: false, error: 'it went wrong' });
  });

  it('gates by hint and by rule, never by words [ORCH-gate-hint, ORCH-gate-tighten]', async () => {
    await using pool = await poolWith(
      { all: upstream('plain'), none: upstream('plain'), usual: upstream('plain') },
      {
        rules: ['none__add', '*__whoami'],
        policy: (server) => ({
          prefix: true,
          approve: server === 'all' ? 'all' : server === 'none' ? 'none' : 'destructive',
        }),
      },
    );
    await Promise.all(['all', 'none', 'usual'].map((server) => pool.until(server, isReady)));
    pool.orchestrator.refresh();
    const gated = pool.orchestrator.upstreamTools.filter((tool) => tool.gated).map(({ name }) => name);
    expect(gated.filter((name) => name.startsWith('usual'))).toEqual(['usual__whoami', 'usual__drop']);
    expect(gated.filter((name) => name.startsWith('none'))).toEqual(['none__add', 'none__whoami']);
    expect(gated.filter((name) => name.startsWith('all'))).toHaveLength(pool.connection('all').tools.length);
    expect(pool.orchestrator.agents.get('mcp-usual')?.manifest.requiresApproval).toBe(true);
  });

  it('tells how its agents are, and counts [HEALTH-fields, METRICS-fields]', async () => {
    await using pool = await poolWith(
      { lab: upstream('plain'), bad: upstream('quits') },
      { limits: { health_ms: 30_000 } },
    );
    await pool.until('lab', isReady);
    await pool.until('bad', ({ error }) => error !== undefined);
    await pool.call('lab__add', { a: 1, b: 2 });
    await pool.call('lab__add', { a: 1, b: 2 });
    await pool.call('lab__nothing').catch(() => {});
    await pool.call('lab__add', { a: 'x' }).catch(() => {});
    const [lab, bad] = await pool.orchestrator.health(30_000);
    expect(lab).toMatchObject({
      agentId: 'mcp-lab',
      status: 'healthy',
      toolCount: pool.connection('lab').tools.length,
    });
    expect(Date.parse(lab?.lastChecked ?? '')).not.toBeNaN();
    expect(bad).toMatchObject({
      agentId: 'mcp-bad',
      toolCount: 0,
      message: expect.stringContaining('no licence') as string,
    });
    const { metrics } = pool.orchestrator;
    expect(metrics.toolExecutionCount.get('lab__add')).toBe(3);
    expect(metrics.toolLatencies.get('lab__add')).toHaveLength(3);
    expect(metrics.agentHealthChecks.get('mcp-lab')).toBe(1);
    expect(metrics.errors.get('INVALID_INPUT')).toBe(1);
    expect(metrics.histograms.get('lab__add')).toMatchObject({ server: 'lab' });
  });

  it('keeps what servers offered for the next start [ORCH-never-empty]', async () => {
    await using before = await readyPool('plain');
    const names = [...before.orchestrator.toolToAgent.keys()];
    expect(names.length).toBeGreaterThan(5);
    await using after = await poolWith({ lab: upstream('plain') }, { home: before.home });
    expect(after.connection('lab').status).not.toBe('ready');
    expect([...after.orchestrator.toolToAgent.keys()]).toEqual(names);
  });

  it('never shows a secret of its configuration, also when a server says it', async () => {
    const secret = 's3cr3t-"value"-1234';
    await using pool = await readyPool('plain', {
      entry: { env: { LAB_TOKEN: secret, LAB_PLACE: '/somewhere/else' } },
    });
    expect(await pool.call('lab__environment', { name: 'LAB_TOKEN' })).toMatchObject({
      data: [{ text: '[hidden]' }],
    });
    expect(await pool.call('lab__environment', { name: 'LAB_PLACE' })).toMatchObject({
      data: [{ text: '/somewhere/else' }],
    });
    const directory = join(pool.home, 'tools', 'cache');
    expect(readFileSync(join(directory, readdirSync(directory)[0] ?? ''), 'utf8')).not.toContain('s3cr3t');
  });
});
