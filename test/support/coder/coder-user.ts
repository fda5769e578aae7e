import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { clientOf, type RealCoder } from './real-coder.ts';

const MAX_WAIT_MS = 15_000;

/** The same server for a new ordinary user, who has no agents. */
export async function newCoderUser(coder: RealCoder): Promise<RealCoder> {
  const client = clientOf(coder);
  const username = `user-${randomBytes(6).toString('hex')}`;
  const password = `${randomBytes(18).toString('base64url')}aA1!`;
  const email = `${username}@fleet.invalid`;
  const { organization_ids } = await client.ask(
    '/users/me',
    z.object({ organization_ids: z.array(z.string()) }),
  );
  const body = { email, username, password, organization_ids, login_type: 'password', user_status: 'active' };
  await client.tell('/users', { method: 'POST', body });
  const { session_token } = await client.ask('/users/login', z.object({ session_token: z.string() }), {
    method: 'POST',
    body: { email, password },
  });
  return { ...coder, token: session_token };
}

/** Ends what runs in workspaces that nobody asks for again: a build for each takes longer than most tests. */
export async function endWorkspaces(coder: RealCoder, ids: readonly string[]): Promise<void> {
  const running = ids.flatMap((id) => processesOf(join(coder.workspaces_dir, id)));
  for (const { pid } of running) signal(pid, 'SIGTERM');
  const end = Date.now() + MAX_WAIT_MS;
  while (Date.now() < end && running.some(isThere)) await delay(100);
  for (const each of running.filter(isThere)) signal(each.pid, 'SIGKILL');
}

interface Running {
  readonly pid: number;
  readonly directory: string;
}

function processesOf(directory: string): readonly Running[] {
  return ['fleet.pid', 'agent.pid']
    .map((name) => join(directory, name))
    .filter((file) => existsSync(file))
    .map((file) => ({ pid: Number(readFileSync(file, 'utf8')), directory }))
    .filter(isThere);
}

/** The pid must still be a process that was started in this directory. */
function isThere({ pid, directory }: Running): boolean {
  try {
    return pid > 0 && readlinkSync(`/proc/${pid}/cwd`) === directory;
  } catch {
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    // It ended by itself.
  }
}
