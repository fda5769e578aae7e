import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Output } from '../output/output.ts';
import { TerminalApprover } from './terminal-approver.ts';

const never = new AbortController().signal;

describe('a destructive call where nobody can be asked', () => {
  it.each([
    { unusual: false, allowed: [], hint: 'run the command with --yes delete_agent' },
    { unusual: true, allowed: ['delete_agent'], hint: 'always needs a person' },
  ])('is refused with what would help: $hint', async ({ unusual, allowed, hint }) => {
    const refused: string[] = [];
    const approver = new TerminalApprover({
      out: new Output(new PassThrough(), {}, () => {}),
      allowed: new Set(allowed),
      before: () => {},
      onRefused: (reason) => refused.push(reason),
    });
    const question = { tool: 'delete_agent', arguments: {}, effect: [], unusual };
    expect(await approver.ask(question, never)).toEqual({ allowed: false, reason: refused[0] });
    expect(refused).toEqual([expect.stringContaining(hint)]);
  });
});
