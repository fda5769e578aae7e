import { setTimeout as delay } from 'node:timers/promises';
import { takeLeaseWhile } from '../../platform/database/lease.ts';
import { HostLink } from './host-link.ts';
import { hostPaths } from './host-paths.ts';
import { ToolsHost, type HostOptions } from './tools-host.ts';

const AGAIN_MS = 50;

export interface TakeOverOptions {
  readonly options?: HostOptions | undefined;
  readonly signal: AbortSignal;
  /** Called when the host before has agreed to make room: it no longer accepts calls. */
  onAgreed(): void;
}

/** Makes this process the host. The result is a link when another process hosts and stays, and undefined when the
 *  signal was aborted first. */
export async function takeOverHost(
  home: string,
  { options, signal, onAgreed }: TakeOverOptions,
): Promise<ToolsHost | HostLink | undefined> {
  const host = await ToolsHost.open(home, options);
  if (host !== undefined) return host;
  const { startLock, socket } = hostPaths(home);
  // While this lock is held no client can start a host, which would take the lease that becomes free here.
  using _starting = await takeLeaseWhile(startLock, () => !signal.aborted);
  while (!signal.aborted) {
    const opened = await ToolsHost.open(home, options);
    if (opened !== undefined) return opened;
    const link = await HostLink.open(socket);
    if (link !== undefined) {
      const agreed = await link.retireHost().catch(() => true);
      if (!agreed) return link;
      onAgreed();
      await link[Symbol.asyncDispose]();
    }
    await delay(AGAIN_MS);
  }
  return undefined;
}
