import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { FLEET } from '../fleets/fleet-process.ts';

export interface InstalledPackage {
  readonly tarball: string;
  /** Where the tarball was installed, and nothing else. */
  readonly directory: string;
  /** An empty home, no network for npm, and a PATH that begins with this Node. */
  readonly env: Readonly<Record<string, string>> & { readonly HOME: string };
  /** The path of one of the package's commands. */
  bin(name: string): string;
}

/** Packs the package that was built for this run, and installs the tarball into an empty directory. */
export function installPackage(place: string): InstalledPackage {
  const [packed, directory, home] = ['packed', 'installed', 'home'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [packed, directory, home]) mkdirSync(each);
  const env = {
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: home,
    npm_config_cache: join(place, 'npm-cache'),
    npm_config_offline: 'true',
    npm_config_registry: 'http://127.0.0.1:1',
    npm_config_update_notifier: 'false',
  };
  const npm = (...args: string[]): void => {
    const { status, stderr } = spawnSync('npm', args, { env, cwd: directory, encoding: 'utf8' });
    if (status !== 0) throw new Error(`npm ${args.join(' ')} failed: ${stderr}`);
  };
  npm('pack', '--ignore-scripts', '--pack-destination', packed, dirname(dirname(FLEET)));
  const tarball = join(packed, readdirSync(packed)[0] ?? 'none');
  npm('install', tarball);
  return { tarball, directory, env, bin: (name) => join(directory, 'node_modules', '.bin', name) };
}
