import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { identify, isAlive, signalProcess } from '../../src/platform/processes/process-identity.ts';
import { until } from '../support/fleets/fleet-under-test.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const IN_CHECKOUT = join(ROOT, 'bin', 'fleet.js');
const directory = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-old-node-')));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Fleet on its own, with nothing of the machine's but a PATH that begins with this Node. */
const env = {
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  HOME: directory,
  FLEET_HOME: join(directory, 'home'),
};

/** A checkout brings a Node of its own only where the machine's is too old. */
const BROUGHT = existsSync(
  join(ROOT, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node'),
);

/** A Node on this machine that is too old to run fleet itself. */
const OLD_NODE = ['/usr/bin/node', '/usr/local/bin/node', '/opt/homebrew/bin/node'].find((file) => {
  if (!existsSync(file)) return false;
  const [major = 0, minor = 0] = spawnSync(file, ['-p', 'process.versions.node'], { encoding: 'utf8' })
    .stdout.split('.')
    .map(Number);
  return major < 22 || (major === 22 && minor < 18);
});

describe('bin/fleet.js on a Node that is too old', () => {
  it.skipIf(OLD_NODE === undefined || !BROUGHT)(
    'runs itself again on the one of the checkout [NAME-bin-old-node]',
    () => {
      const version = spawnSync(OLD_NODE ?? '', [IN_CHECKOUT, 'version', '--json'], {
        env,
        encoding: 'utf8',
      });
      expect(version).toMatchObject({ status: 0, stderr: '' });
      const { node } = JSON.parse(version.stdout) as { node: string };
      const brought = join(ROOT, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
      const { stdout } = spawnSync(brought, ['-p', 'process.versions.node'], { encoding: 'utf8' });
      expect(node).toBe(stdout.trim());
      const failed = spawnSync(OLD_NODE ?? '', [IN_CHECKOUT, 'show', 'nobody', '--json'], {
        env,
        encoding: 'utf8',
      });
      expect(failed.status).toBe(3);
      expect(JSON.parse(failed.stdout)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    },
  );

  it.skipIf(OLD_NODE === undefined || !BROUGHT)(
    'passes signals on, and its child ends with it [NAME-bin-signals]',
    async () => {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
        const launcher = spawn(OLD_NODE ?? '', [IN_CHECKOUT, 'serve', '--port', '0', '--json'], {
          env,
          cwd: directory,
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const [line] = (await once(createInterface({ input: launcher.stdout }), 'line')) as [string];
        const child = identify((JSON.parse(line) as { pid: number }).pid);
        if (child === undefined) throw new Error('the server is not there');
        expect(child.pid).not.toBe(launcher.pid);
        try {
          const exited = once(launcher, 'exit');
          launcher.kill(signal);
          const [code] = (await exited) as [number | null];
          await until(
            async () => isAlive(child),
            (alive) => !alive,
          );
          expect(code).toBe(signal === 'SIGKILL' ? null : 0);
        } finally {
          signalProcess(child, 'SIGKILL');
        }
      }
    },
  );
});
