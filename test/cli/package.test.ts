import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { identify, isAlive, signalProcess } from '../../src/platform/process-identity.ts';
import { until } from '../support/fleet-under-test.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const IN_CHECKOUT = join(ROOT, 'bin', 'fleet.js');
const directory = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-package-')));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Fleet on its own, with nothing of the machine's but a PATH that begins with this Node. */
const env = {
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  HOME: directory,
  FLEET_HOME: join(directory, 'home'),
};

/** What a program prints as JSON. */
function run(file: string, ...args: string[]): Record<string, unknown> {
  const { status, stdout, stderr } = spawnSync(file, args, { env, cwd: directory, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
}

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

describe('the package', () => {
  it('is fleet-mcp, and its bins fleet and fleet-mcp are this command [NAME-package]', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      name: string;
      version: string;
      bin: Record<string, string>;
    };
    expect(manifest.name).toBe('fleet-mcp');
    expect(Object.keys(manifest.bin).toSorted()).toEqual(['fleet', 'fleet-mcp']);
    for (const [name, file] of Object.entries(manifest.bin)) {
      const link = join(directory, name);
      symlinkSync(join(ROOT, file), link);
      expect(run(link, 'version', '--json')).toMatchObject({ version: manifest.version });
    }
  });

  it('is a command in a checkout that nothing was built in [NAME-bin-checkout]', () => {
    const checkout = join(directory, 'checkout');
    mkdirSync(checkout);
    for (const name of ['bin', 'src', 'package.json'])
      cpSync(join(ROOT, name), join(checkout, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    const command = join(checkout, 'bin', 'fleet.js');
    accessSync(command, constants.X_OK);
    expect(run(command, 'call', 'list_agents')).toEqual({ agents: [], total_count: 0 });
    expect(existsSync(join(checkout, 'dist'))).toBe(false);
  });
});

describe('bin/fleet.js on a Node that is too old', () => {
  it.skipIf(OLD_NODE === undefined || !BROUGHT)(
    'runs itself again on the one of the checkout [NAME-bin-old-node]',
    () => {
      const { node } = run(OLD_NODE ?? '', IN_CHECKOUT, 'version', '--json');
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
