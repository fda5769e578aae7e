import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findProgram } from '../../src/platform/processes/find-program.ts';

/** The program that makes a terminal; undefined where it is not installed. */
export const SCRIPT = findProgram('script', process.env['PATH']);

/** Types lines at a terminal, each when what the one before leads to was seen. */
export async function typeAtTerminal(
  { env }: { readonly env: NodeJS.ProcessEnv },
  command: string,
  lines: readonly (readonly [string, RegExp])[],
) {
  const child = spawn(SCRIPT ?? '', ['-qefc', command, '/dev/null'], {
    env: { ...env, SHELL: '/bin/sh', PS1: '$ ' },
    stdio: 'pipe',
  });
  let said = '';
  let seen = 0;
  const more = new EventTarget();
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    more.dispatchEvent(new Event('more'));
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const until = async (pattern: RegExp): Promise<void> => {
    for (;;) {
      const found = pattern.exec(said.slice(seen));
      if (found !== null) {
        seen += found.index + found[0].length;
        return;
      }
      await Promise.race([once(more, 'more'), exited.then(() => Promise.reject(new Error(said)))]);
    }
  };
  for (const [line, pattern] of lines) {
    if (line !== '') {
      if (line !== '\u0003') await until(/[$#] /);
      child.stdin.write(line === '\u0003' ? line : `${line}\n`);
    }
    await until(pattern);
  }
  const [code] = await exited;
  return { code, said };
}

/** As one line for a shell. */
export function words(list: readonly string[]): string {
  return list.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}
