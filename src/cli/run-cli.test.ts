import { describe, expect, it } from 'vitest';
import { COMMANDS } from './commands/all-commands.ts';
import { tryCli } from './test-cli.ts';

const body = (text: string): { error: { code: string; message: string; details: Record<string, unknown> } } =>
  JSON.parse(text);

describe('words that make no sense', () => {
  it('suggests the nearest command for one that is not there', async () => {
    const { exitCode, stdout, stderr } = await tryCli(['lst']);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('fleet: There is no command "lst". Did you mean "list"?');
  });

  it('tells a script the same as JSON on stdout', async () => {
    const { exitCode, stdout, stderr } = await tryCli(['lst', '--json']);
    expect(exitCode).toBe(2);
    expect(stderr).toBe('');
    expect(body(stdout).error).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('"lst"'),
    });
  });

  it('names the way to an operation that was taken for a command', async () => {
    expect((await tryCli(['list_agents'])).stderr).toContain('fleet call list_agents');
  });

  it('shows the usage when an argument is missing or too many', async () => {
    const missing = await tryCli(['show']);
    expect(missing.exitCode).toBe(2);
    expect(missing.stderr).toContain("Missing required argument 'name'.\nUsage: fleet show [options] <name>");
    expect((await tryCli(['show', 'a', 'b'])).exitCode).toBe(2);
    expect((await tryCli(['task'])).stderr).toContain('The name of the agent is missing');
  });

  it.each([
    ['tools', 'call'],
    ['agents', 'install'],
    ['kept', 'restore'],
  ])('shows the usage of %s %s when its argument is missing', async (...words) => {
    const { exitCode, stderr } = await tryCli(words);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`Usage: fleet ${words.join(' ')} [options] <`);
    expect(stderr).toContain(`fleet ${words.join(' ')} --help for details.`);
  });

  it('refuses an unknown option and suggests the nearest', async () => {
    const { exitCode, stderr } = await tryCli(['list', '--statsu', 'busy']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--status');
  });

  it('quotes an option value that is not a number', async () => {
    const { exitCode, stdout } = await tryCli(['history', 'sony', '--page', 'two', '--json']);
    expect(exitCode).toBe(2);
    expect(body(stdout).error).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'page' } });
  });

  it('prints no control character of its arguments', async () => {
    const { stderr } = await tryCli(['li\u001b[31mst']);
    expect(stderr).not.toMatch(/[^\P{Cc}\n]/u);
  });
});

describe('fleet call', () => {
  it('answers an unknown operation with those there are and the nearest [ERR-unknown-operation]', async () => {
    const { exitCode, stdout } = await tryCli(['call', 'list_agnts']);
    expect(exitCode).toBe(3);
    expect(body(stdout).error).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('"list_agnts"'),
      details: { nearest: 'list_agents', operations: expect.arrayContaining(['create_agent']) },
    });
  });

  it.each(['{', '', 'nonsense', '{"a": 1,}'])(
    'answers the malformed input %j with INVALID_INPUT',
    async (input) => {
      const { exitCode, stdout } = await tryCli(['call', 'list_agents', input]);
      expect(exitCode).toBe(2);
      expect(body(stdout).error).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'input' } });
    },
  );

  it('is JSON even when its own words are wrong', async () => {
    const { exitCode, stdout } = await tryCli(['call', 'list_agents', '{}', 'more']);
    expect(exitCode).toBe(2);
    expect(body(stdout).error.code).toBe('INVALID_INPUT');
  });

  it('lists the operations with their inputs', async () => {
    const { exitCode, stdout } = await tryCli(['call']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).operations).toContainEqual(
      expect.objectContaining({
        name: 'show_agent_log',
        inputs: ['agent_name', 'page?', 'page_size?', 'search?'],
      }),
    );
  });
});

describe('help', () => {
  it('of the program names every command', async () => {
    const { exitCode, stdout } = await tryCli(['--help']);
    expect(exitCode).toBe(0);
    for (const { name } of COMMANDS) expect(stdout).toMatch(new RegExp(`^ +${name} `, 'm'));
  });

  it.each(COMMANDS.map(({ name }) => name))('of %s has a usage and an example', async (name) => {
    const { exitCode, stdout } = await tryCli([name, '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: fleet ${name}`));
    expect(stdout).toContain('Examples:');
    expect((await tryCli(['help', name])).stdout).toBe(stdout);
  });
});

it('says its version, that of its contract and of Node', async () => {
  const { stdout } = await tryCli(['version', '--json']);
  expect(JSON.parse(stdout)).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    contract: '1.1.0',
    node: process.versions.node,
  });
});

describe('inside an agent', () => {
  const inside = { FLEET_SELF_SOCKET: '/nowhere/self.sock', FLEET_AGENT: 'sony' };

  it.each([['serve'], ['token'], ['audit'], ['init'], ['doctor'], ['why', 'sony']])(
    '%s is FORBIDDEN',
    async (...words) => {
      const { exitCode, stdout } = await tryCli([...words, '--json'], inside);
      expect(exitCode).toBe(5);
      expect(body(stdout).error).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'inside_agent' } });
    },
  );

  it('nothing can be trusted [CFG-trust-not-agent]', async () => {
    const { exitCode, stdout } = await tryCli(['trust', '--json'], inside);
    expect(exitCode).toBe(5);
    expect(body(stdout).error.code).toBe('FORBIDDEN');
  });

  it('MCP has no scopes to choose from', async () => {
    expect((await tryCli(['mcp', '--scopes', 'read'], inside)).exitCode).toBe(5);
  });
});
