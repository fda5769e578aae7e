import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { takeLeaseWhile, type Lease } from '../../platform/lease.ts';

/** One at a time changes the worktrees of a repository: git reads those that others have only half made, and fails. */
export async function gitTurn(home: string, repository: string): Promise<Lease> {
  const directory = join(home, 'locks');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const name = createHash('sha256').update(repository).digest('hex').slice(0, 16);
  const lease = await takeLeaseWhile(join(directory, `${name}.db`), () => true);
  if (lease === undefined) throw new Error('a turn is waited for until it comes');
  return lease;
}
