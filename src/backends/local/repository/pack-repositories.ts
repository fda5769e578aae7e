import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../../git/git.ts';
import { PROMISOR } from './partial-clone.ts';

/** Objects that have just arrived have no ref yet. */
const UNUSED_FOR = '2.weeks.ago';

/** Of a project that is a partial clone, objects are missing. */
const SETTINGS = ['-c', PROMISOR.join('='), '-c', 'repack.writeBitmaps=false'];

/** Packs Fleet's own repositories, and drops what nothing has needed for a while. */
export async function packRepositories(home: string): Promise<readonly string[]> {
  const directory = join(home, 'repositories');
  const names = existsSync(directory) ? readdirSync(directory) : [];
  const problems: string[] = [];
  for (const name of names.filter((each) => each.endsWith('.git'))) {
    const path = join(directory, name);
    const { ok, stderr } = await git(path, [...SETTINGS, 'gc', '--quiet', `--prune=${UNUSED_FOR}`]);
    if (!ok) problems.push(`${path} could not be packed: ${stderr.trim().split('\n').at(-1) ?? ''}`);
  }
  return problems;
}
