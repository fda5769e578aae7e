import { z } from 'zod';
import type { CoderClient } from './client/coder-client.ts';

const buildInfoSchema = z.object({ version: z.string() });

/** The first release that starts a workspace by itself once a stop has succeeded. */
const ATOMIC_RESTART = [2, 36] as const;

/** An older server ignores what it does not know, and would only stop: this cannot be probed, only read off. */
export async function restartsAtomically(client: CoderClient): Promise<boolean> {
  const [major, minor] = numbersOf(await serverVersion(client));
  return major > ATOMIC_RESTART[0] || (major === ATOMIC_RESTART[0] && minor >= ATOMIC_RESTART[1]);
}

export async function serverVersion(client: CoderClient): Promise<string> {
  return (await client.ask('/buildinfo', buildInfoSchema)).version;
}

function numbersOf(version: string): readonly [number, number] {
  const [, major = '0', minor = '0'] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  return [Number(major), Number(minor)];
}
