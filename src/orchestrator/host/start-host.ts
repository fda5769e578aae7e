import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { capFile } from '../../platform/cap-file.ts';
import { takeLease } from '../../platform/database/lease.ts';
import { programFile } from '../../platform/package.ts';
import { hostPaths } from './host-paths.ts';

const MAX_WAIT_MS = 10_000;
const KEPT = ['PATH', 'HOME', 'TMPDIR', 'XDG_RUNTIME_DIR', 'LANG', 'TZ', 'FLEET_DEBUG'];

/** Starts a small process that hosts the upstream servers, unless somebody else is about to. */
export async function startHost(home: string): Promise<void> {
  using starting = takeLease(hostPaths(home).startLock);
  if (starting === undefined) return;
  const child = spawnHost(home);
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('error', () => resolve());
  child.once('exit', () => resolve());
  child.stdout?.once('data', () => resolve());
  await Promise.race([promise, delay(MAX_WAIT_MS, undefined, { ref: false })]);
  child.stdout?.destroy();
  child.unref();
}

/** It outlives the process that started it, and gets nothing of its environment but this. */
function spawnHost(home: string) {
  const { log: path } = hostPaths(home);
  capFile(path);
  const log = openSync(path, 'a', 0o600);
  const own = KEPT.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  const cache = process.env['NODE_COMPILE_CACHE'] ?? join(home, 'cache', 'compile');
  try {
    return spawn(
      process.execPath,
      [
        '--max-semi-space-size=1',
        '--disable-warning=ExperimentalWarning',
        programFile('orchestrator/host/tools-host-main'),
        home,
      ],
      {
        detached: true,
        stdio: ['ignore', 'pipe', log],
        cwd: home,
        env: { ...Object.fromEntries(own), NODE_COMPILE_CACHE: cache },
      },
    );
  } finally {
    closeSync(log);
  }
}
