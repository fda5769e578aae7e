import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { socketPath } from '../../platform/socket-path.ts';

export interface HostPaths {
  readonly directory: string;
  /** Held by the host process. */
  readonly lease: string;
  /** Held by the process that starts a host. */
  readonly startLock: string;
  readonly socket: string;
  readonly log: string;
}

export function hostPaths(home: string): HostPaths {
  const directory = join(home, 'tools');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return {
    directory,
    lease: join(directory, 'host.db'),
    startLock: join(directory, 'start.db'),
    socket: socketPath(directory, 'host.sock'),
    log: join(directory, 'host.log'),
  };
}
