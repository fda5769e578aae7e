import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AGENT_ERRORS, type AgentErrorCode } from '../../src/orchestrator/servers/agent-error.ts';
import { RegistryAgent } from '../../src/orchestrator/tool-agents/registry-agent.ts';
import { ToolModules } from '../../src/orchestrator/tool-modules.ts';
import { poolWith, readyPool } from './pool-under-test.ts';
import { upstream } from './upstream-place.ts';

/** Those of the session with a model. */
const OF_THE_SESSION = ['OLLAMA_UNAVAILABLE', 'MODEL_NOT_FOUND', 'SYSTEM_PROMPT_MISSING', 'CONTEXT_OVERFLOW'];

/** A way to each code through the orchestrator. */
const WAYS: Readonly<Partial<Record<AgentErrorCode, () => Promise<unknown>>>> = {
  TOOL_NOT_FOUND: async () => {
    await using pool = await readyPool('plain');
    return await pool.call('lab__nothing');
  },
  TOOL_EXECUTION_FAILED: async () => {
    await using pool = await poolWith({});
    await declareModule(pool.orchestrator, 'run: () => { throw new Error("no") }');
    const result = await pool.call('mine__work');
    throw Object.assign(new Error('failed'), (result.data as { error: object }).error);
  },
  NETWORK_TIMEOUT: async () => {
    await using pool = await poolWith({ lab: { url: await silentServer(), timeout: 300 } });
    return await pool.servers.wake('lab');
  },
  INVALID_RESPONSE: async () => {
    await using pool = await readyPool('bad-answers');
    return await pool.call('lab__empty');
  },
  AGENT_INIT_FAILED: async () => {
    await using pool = await poolWith({});
    await declareModule(pool.orchestrator, 'nothing: 1').catch(() => {});
    return await pool.call('mine__work');
  },
  AGENT_SHUTDOWN_FAILED: async () => {
    await using pool = await poolWith({});
    await pool.orchestrator.register(agentThatHangs());
    return await pool.orchestrator.unregister('own');
  },
  AGENT_NOT_FOUND: async () => {
    await using pool = await poolWith({});
    return await pool.servers.wake('nobody');
  },
  AGENT_UNAVAILABLE: async () => {
    await using pool = await readyPool('dies');
    return await pool.call('lab__die');
  },
  TOOL_EXECUTION_TIMEOUT: async () => {
    await using pool = await readyPool('plain', { limits: { call_ms: 100 } });
    return await pool.call('lab__slow', { steps: 1, step_ms: 60_000 });
  },
  MCP_CONNECTION_FAILED: async () => {
    await using pool = await poolWith({ lab: upstream('quits') });
    return await pool.servers.wake('lab');
  },
  MCP_TOOL_DISCOVERY_FAILED: async () => {
    await using pool = await poolWith({ lab: upstream('bad-answers', { args: ['no-tools'] }) });
    return await pool.servers.wake('lab');
  },
};

function agentThatHangs(): RegistryAgent {
  const agent = new RegistryAgent({ id: 'own', name: 'own', capabilities: [], tools: [] });
  agent.shutdown = () => Promise.reject(new Error('it hangs.'));
  return agent;
}

async function declareModule(orchestrator: ConstructorParameters<typeof ToolModules>[0], body: string) {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-module-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'mine.mjs');
  const tool = `{ name: 'work', parameters: { type: 'object' }, ${body} }`;
  writeFileSync(file, `export const tools = [${tool}];`);
  await new ToolModules(orchestrator).declare({ mine: file });
}

/** Accepts requests and never answers them. */
async function silentServer(): Promise<string> {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describe('the codes of the orchestrator', () => {
  const codes = Object.keys(AGENT_ERRORS).filter((code) => !OF_THE_SESSION.includes(code));

  it.each(codes as AgentErrorCode[])(
    '%s is reached, with its own code beside it [ORCH-error-codes]',
    async (code) => {
      const way = WAYS[code] ?? (() => Promise.reject(new Error('there is no way to it')));
      await expect(way()).rejects.toMatchObject({ code: AGENT_ERRORS[code], details: { reason: code } });
    },
  );

  it('are those of the seed [ORCH-error-codes]', () => {
    expect(Object.keys(AGENT_ERRORS)).toHaveLength(15);
    expect(Object.keys(AGENT_ERRORS)).toEqual(expect.arrayContaining(OF_THE_SESSION));
  });
});

describe('a malformed result', () => {
  it.each([
    ['empty', 'it has no content'],
    ['no_list', 'its content is not a list'],
    ['no_text', 'block 1 of its content is malformed'],
    ['no_address', 'block 1 of its content is malformed'],
    ['no_boolean', 'its isError is not a boolean'],
    ['nothing', 'its answer has neither a result nor an error'],
  ])('is INVALID_RESPONSE, and the server goes on: %s', async (tool, problem) => {
    await using pool = await readyPool('bad-answers');
    await expect(pool.call(`lab__${tool}`)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining(problem) as string,
      details: { reason: 'INVALID_RESPONSE', server: 'lab' },
    });
    expect(await pool.call('lab__good')).toMatchObject({ success: true });
    expect(await pool.call('lab__unknown_block')).toMatchObject({ data: [{ type: 'hologram', depth: 3 }] });
    expect(pool.orchestrator.metrics.errors.get('INVALID_RESPONSE')).toBe(1);
  });
});

describe('a tool agent whose shutdown fails', () => {
  it('is counted, and is gone all the same', async () => {
    await using pool = await poolWith({});
    const { orchestrator } = pool;
    await orchestrator.register(agentThatHangs());
    await expect(orchestrator.unregister('own')).rejects.toThrow('"own" did not shut down: it hangs.');
    expect(orchestrator.agents.has('own')).toBe(false);
    expect(orchestrator.metrics.errors.get('AGENT_SHUTDOWN_FAILED')).toBe(1);
  });
});
