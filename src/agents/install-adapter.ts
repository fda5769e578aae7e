import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError, quote } from '../domain/values/errors.ts';
import { takeLease, takeLeaseWhile, type Lease } from '../platform/database/lease.ts';
import { writeFileAtomic } from '../platform/write-file.ts';
import { agentDirectory, choiceFile, isWhole, versionDirectory } from './adapter-of.ts';
import type { CodingAgent } from './catalogue.ts';
import { npmInstall } from './npm-install.ts';

export interface InstallRequest {
  readonly home: string;
  /** Without it: the one that Fleet is tested with. */
  readonly version?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  /** What happens meanwhile, one line each. */
  readonly onProgress: (line: string) => void;
}

export interface Installed {
  readonly version: string;
  readonly directory: string;
  /** It was there already, and is the one that is used now. */
  readonly was_there: boolean;
}

const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;
const PART = '.part-';

/** Brings an adapter into the fleet's home: whole, or not at all. The version that was installed last is the one that
 *  new agents are made with. */
export async function installAdapter(agent: CodingAgent, request: InstallRequest): Promise<Installed> {
  const version = request.version ?? agent.version;
  if (!VERSION.test(version)) {
    throw new FleetError(
      'INVALID_INPUT',
      `${quote(version)} is not an exact version. Give one such as ${agent.version}.`,
      { field: 'version' },
    );
  }
  const own = agentDirectory(agent, request.home);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  using _lease = await whenFree(join(own, 'install.db'), agent, request);
  removeLeftovers(own);
  const directory = versionDirectory(agent, request.home, version);
  const was_there = isWhole(agent, directory);
  if (!was_there) await bring(agent, { ...request, version, directory });
  writeFileAtomic(choiceFile(agent, request.home), `${version}\n`);
  return { version, directory, was_there };
}

async function whenFree(file: string, agent: CodingAgent, request: InstallRequest): Promise<Lease> {
  const now = takeLease(file);
  if (now !== undefined) return now;
  request.onProgress(`Another process is installing ${agent.name}: waiting for it.`);
  const lease = await takeLeaseWhile(file, () => request.signal?.aborted !== true);
  if (lease !== undefined) return lease;
  throw new FleetError(
    'CONFLICT',
    `Another process is installing ${agent.name}. Retry when it has finished.`,
    {
      reason: 'install_running',
    },
  );
}

/** Removes what an interrupted install has left. Only the holder of the lease calls it. */
function removeLeftovers(own: string): void {
  for (const name of readdirSync(own)) {
    if (name.startsWith(PART)) rmSync(join(own, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Delivery extends InstallRequest {
  readonly version: string;
  readonly directory: string;
}

async function bring(agent: CodingAgent, { directory, ...request }: Delivery): Promise<void> {
  const part = mkdtempSync(join(agentDirectory(agent, request.home), PART));
  const prefix = join(part, 'whole');
  try {
    mkdirSync(prefix);
    await npmInstall(agent, { ...request, prefix, cache: join(part, 'cache') });
    if (!isWhole(agent, prefix)) {
      throw new FleetError(
        'SERVICE_UNAVAILABLE',
        `npm brought ${agent.package}@${request.version} without what runs on ${process.platform} ${process.arch}. ` +
          'There may be no build of it for this machine.',
        { reason: 'no_build' },
      );
    }
    rmSync(directory, { recursive: true, force: true });
    renameSync(prefix, directory);
  } finally {
    rmSync(part, { recursive: true, force: true, maxRetries: 3 });
  }
}
