import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Makes the package as npm installs it, once for a run of the tests: the command that they start is the one that users
 *  have, and it starts in half the time of the sources. */
export function setup(): () => void {
  const root = mkdtempSync(join(tmpdir(), 'fleet-test-package-'));
  // Some tests start it as another user.
  chmodSync(root, 0o755);
  for (const part of ['bin', 'coder', 'schema', 'package.json', 'CHANGELOG.md', 'LICENSE', 'README.md'])
    cpSync(join(ROOT, part), join(root, part), { recursive: true });
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.ts'), join(root, 'dist')]);
  process.env['FLEET_UNDER_TEST'] = join(root, 'bin', 'fleet.js');
  return () => rmSync(root, { recursive: true, force: true });
}
