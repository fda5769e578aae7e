import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli } from '../output/cli.ts';
import { COMMANDS } from '../commands/all-commands.ts';
import { commandTree, type CompletedCommand } from './command-tree.ts';
import { completionScript, SHELLS } from './completion-script.ts';

const directory = mkdtempSync(join(tmpdir(), 'fleet-completion-'));
let tree: readonly CompletedCommand[];
beforeAll(async () => {
  tree = await commandTree(COMMANDS, new Cli());
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('completionScript', () => {
  it.each(SHELLS)('for %s has every command, option and subcommand, and asks for names', (shell) => {
    const script = completionScript(shell, tree);
    for (const { name, options, commands } of tree) {
      expect(script).toContain(name);
      for (const option of options) expect(script).toContain(option.name.replace(/^--/, ''));
      for (const below of commands) expect(script).toContain(below.name);
    }
    expect(script).toContain('fleet list --names');
    expect(script).toContain('fleet projects --names');
  });

  it.each([
    { line: ['hist'], found: ['history'] },
    { line: ['token', 're'], found: ['revoke'] },
    { line: ['list', '--st'], found: ['--status'] },
    { line: ['list', '--status', 'st'], found: ['starting', 'stopping', 'stopped'] },
    { line: ['token', 'create', '--sc'], found: ['--scopes'] },
    { line: ['show', 'so'], found: ['sony'] },
    { line: ['approve', ''], found: ['sony', 'papi'] },
    { line: ['create', 'Set'], found: ['Setup'] },
    { line: ['list', '--project', 'Set'], found: ['Setup'] },
    { line: ['roles', 'My'], found: [String.raw`My\ \$\(touch\ ran\)\ project`] },
  ])('completes $line in a real bash', ({ line, found }) => {
    const words = ['fleet', ...line].map((word) => `'${word}'`).join(' ');
    const script = `fleet() { case $1 in list) printf 'sony\\npapi\\n' ;; projects) printf 'Setup\\nMy $(touch ran) project\\n' ;; esac; }
${completionScript('bash', tree)}
COMP_WORDS=(${words}); COMP_CWORD=${line.length}; _fleet; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const printed = execFileSync('bash', ['-c', script], { cwd: directory, encoding: 'utf8' });
    expect(printed.trimEnd().split('\n')).toEqual(found);
    expect(existsSync(join(directory, 'ran'))).toBe(false);
  });
});
