import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse-config.ts';

const parse = (text: string) => parseConfig({ text: `version: 1\n${text}`, path: '/fleet.yaml', env: {} });

describe('servers of the configuration', () => {
  it('with one name are an error [MCPSERVER-name-unique]', () => {
    expect(() => parse('mcpServers:\n  lab: { command: a }\n  lab: { command: b }\n')).toThrow(
      /mcpServers\.lab/,
    );
    expect(() => parse('mcpServers:\n  lab: { command: a }\n  Lab: { command: b }\n')).toThrow(
      /mcpServers\.Lab/,
    );
  });

  it('may have keys that are for others: a warning [CFG-unknown-key-servers]', () => {
    const { config, warnings } = parse(
      'mcpServers:\n  lab: { command: a, alwaysAllow: [x], aproove: all }\n',
    );
    expect(config.mcpServers['lab']).toMatchObject({ command: 'a', approve: 'destructive' });
    expect(warnings.join('\n')).toMatch(/mcpServers\.lab\.alwaysAllow/);
    expect(warnings.join('\n')).toMatch(/approve/);
  });
});
