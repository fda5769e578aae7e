import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codingAgent } from './catalogue.ts';
import { copySession } from './copy-session.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-session-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe.each([
  ['claude', '.claude/projects/-work-tree', 'claude/projects/-work-tree', 'CLAUDE_CONFIG_DIR'],
  ['codex', '.codex/sessions/2026/01/02', 'codex/sessions/2026/01/02', 'CODEX_HOME'],
])('the session of %s', (name, from, to, variable) => {
  const copy = (env: Record<string, string>): void => {
    const agent = codingAgent(name);
    if (agent !== undefined) copySession(agent, { session: 'abc-1', env, state: join(directory, 'state') });
  };
  const write = (path: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'the conversation');
  };

  it('is copied, and nothing beside it', () => {
    write(join(directory, from, 'x-abc-1.jsonl'));
    write(join(directory, from, 'other.jsonl'));
    symlinkSync('/etc/passwd', join(directory, from, 'abc-1.link'));
    copy({ HOME: directory });
    expect(readFileSync(join(directory, 'state', to, 'x-abc-1.jsonl'), 'utf8')).toBe('the conversation');
    expect(existsSync(join(directory, 'state', to, 'other.jsonl'))).toBe(false);
    expect(existsSync(join(directory, 'state', to, 'abc-1.link'))).toBe(false);
  });

  it('is looked for where the agent had it, and may be nowhere', () => {
    write(join(directory, 'elsewhere', from.split('/').slice(1).join('/'), 'abc-1.jsonl'));
    copy({ HOME: directory });
    expect(existsSync(join(directory, 'state'))).toBe(false);
    copy({ HOME: directory, [variable]: join(directory, 'elsewhere') });
    expect(existsSync(join(directory, 'state', to, 'abc-1.jsonl'))).toBe(true);
  });
});
