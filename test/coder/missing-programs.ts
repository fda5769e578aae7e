import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NEEDED = ['go', 'terraform', 'bash', 'curl'];

/** What the tests on a real Coder server need and this machine does not have. */
export function missingPrograms(): readonly string[] {
  const missing = NEEDED.filter((name) => !isThere(name));
  return isThere('initdb') || globSync('/usr/lib/postgresql/*/bin/initdb').length > 0
    ? missing
    : [...missing, 'PostgreSQL'];
}

function isThere(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((directory) => existsSync(join(directory, name)));
}
