import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { takeLease, takeLeaseWhile, type Lease } from '../../../platform/database/lease.ts';

/** One landing at a time in a repository. */
export async function takeTurn(home: string, lender: string, signal: AbortSignal): Promise<Lease> {
  const lease = await takeLeaseWhile(turnFile(home, lender), () => !signal.aborted);
  signal.throwIfAborted();
  if (lease === undefined) throw new Error('the lease was not taken');
  return lease;
}

/** Undefined while another landing has its turn. */
export function takeTurnNow(home: string, lender: string): Lease | undefined {
  return takeLease(turnFile(home, lender));
}

function turnFile(home: string, lender: string): string {
  const directory = join(home, 'locks');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const name = createHash('sha256').update(lender).digest('hex').slice(0, 16);
  return join(directory, `landing-${name}.db`);
}
