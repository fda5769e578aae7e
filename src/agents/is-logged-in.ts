import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CodingAgent } from './catalogue.ts';

/** Whether an agent with this environment is logged in, by what lies on this machine: nobody is asked. */
export function isLoggedIn(
  { login }: CodingAgent,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (login === null || login.variables.some((name) => (env[name] ?? '') !== '')) return true;
  const { variable, otherwise } = login.directory;
  const own = variable === null ? '' : (env[variable] ?? '');
  const directory = own === '' ? join(env['HOME'] ?? '', otherwise) : own;
  return login.files.some((each) => holds(join(directory, each.file), each.with ?? ''));
}

function holds(file: string, word: string): boolean {
  try {
    return existsSync(file) && readFileSync(file, 'utf8').includes(word);
  } catch {
    // A file that cannot be read logs nobody in.
    return false;
  }
}
