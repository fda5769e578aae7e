import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cachedAdapter } from '../agents/agents-cache.ts';
import { offlineEnvironment } from '../agents/offline-environment.ts';
import { scriptText } from '../support/model-server/model-script.ts';
import type { ModelServer } from '../support/model-server/model-server.ts';

type Message = Readonly<Record<string, unknown>>;
type Step = Parameters<typeof scriptText>[0][number];

export interface ClaudeSession extends AsyncDisposable {
  /** Has it make these calls, one after the other, and answers what their results say. */
  does(...steps: Step[]): Promise<string>;
  /** Ends the turn, as its user would by a key. */
  interrupt(): void;
}

export interface ClaudeSessionParts {
  readonly model: ModelServer;
  readonly era: 'legacy' | 'auto';
  /** The MCP server that it uses, as its configuration names one. */
  readonly server: object;
}

/** Claude Code's own program with one MCP server, named tools, whose questions its user answers with the colour green. */
export function claudeSession({ model, era, server }: ClaudeSessionParts): ClaudeSession {
  const home = mkdtempSync(join(tmpdir(), 'fleet-claude-'));
  const config = join(home, 'mcp.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { tools: server } }));
  const answer = { hookEventName: 'Elicitation', action: 'accept', content: { colour: 'green' } };
  const command = `echo '${JSON.stringify({ hookSpecificOutput: answer })}'`;
  const settings = { hooks: { Elicitation: [{ hooks: [{ type: 'command', command }] }] } };
  const formats = '--print --verbose --input-format stream-json --output-format stream-json'.split(' ');
  const tools = ['--mcp-config', config, '--strict-mcp-config', '--allowedTools', 'mcp__tools'];
  const args = [...formats, ...tools, '--settings', JSON.stringify(settings)];
  const child = spawn(claudeProgram(), args, {
    cwd: home,
    env: { ...offlineEnvironment('claude', model.url, home), MCP_PROTOCOL_NEGOTIATION: era },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const messages: Message[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => messages.push(JSON.parse(line) as Message));
  const say = (message: Message): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  const results = (): readonly Message[] => messages.filter(({ type }) => type === 'result');
  return {
    does: async (...steps) => {
      const before = messages.length;
      const ended = results().length;
      say({
        type: 'user',
        message: { role: 'user', content: scriptText([...steps, { text: 'Done.' }]) },
      });
      while (results().length === ended) await once(lines, 'line');
      return JSON.stringify(messages.slice(before).filter(({ type }) => type === 'user'));
    },
    interrupt: () => say({ type: 'control_request', request_id: 'stop', request: { subtype: 'interrupt' } }),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** It comes with the adapter by which fleets use it, in a package for each system. */
function claudeProgram(): string {
  const require = createRequire(cachedAdapter('claude')?.command.at(-1) ?? '');
  return require.resolve(`@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/claude`);
}
