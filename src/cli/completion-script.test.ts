import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { completionScript, SHELLS } from './completion-script.ts';
import { COMMANDS } from './program.ts';

describe('completionScript', () => {
  it.each(SHELLS)('for %s names every command and asks for the names of agents', (shell) => {
    const script = completionScript(shell, COMMANDS);
    for (const { name } of COMMANDS) expect(script).toContain(name);
    expect(script).toContain('fleet list --names');
  });

  it('completes a command in a real bash', () => {
    const script = `${completionScript('bash', COMMANDS)}
COMP_WORDS=(fleet hist); COMP_CWORD=1; _fleet; echo "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe('history\n');
  });
});
