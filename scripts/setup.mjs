// Makes a checkout ready: installs the locked packages when they are missing or stale (with --dev also those for
// tests), and brings a current Node into node_modules when the machine's own is too old. Runs on any Node from 18 on.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const NODE_PACKAGE_VERSION = '24.21.0';
const withDev = process.argv.includes('--dev');

if (!process.argv.includes('--node-only') && packagesAreStale()) {
  say('installing packages (npm ci) …');
  npm(['ci', '--no-fund', '--no-audit', '--loglevel=error', withDev ? '--include=dev' : '--omit=dev']);
}
if (nodeIsTooOld() && !existsSync(join(root, 'node_modules', nodePackage(), 'bin', 'node'))) bringNode();

/** By hand and not by `npm install`, which would look at the whole tree again and remove what it does not expect. */
function bringNode() {
  say(`Node ${process.version} is too old: bringing Node ${NODE_PACKAGE_VERSION} into node_modules …`);
  const modules = join(root, 'node_modules');
  const making = mkdtempSync(join(modules, '.bringing-node-'));
  try {
    npm([
      'pack',
      '--silent',
      '--loglevel=error',
      '--pack-destination',
      making,
      `${nodePackage()}@${NODE_PACKAGE_VERSION}`,
    ]);
    const tarball = readdirSync(making).find((name) => name.endsWith('.tgz'));
    run('tar', ['-xzf', join(making, tarball), '-C', making]);
    rmSync(join(modules, nodePackage()), { recursive: true, force: true });
    renameSync(join(making, 'package'), join(modules, nodePackage()));
    mkdirSync(join(modules, '.bin'), { recursive: true });
    rmSync(join(modules, '.bin', 'node'), { force: true });
    symlinkSync(join('..', nodePackage(), 'bin', 'node'), join(modules, '.bin', 'node'));
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

function packagesAreStale() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return true;
  const present = lockedVersions(installed);
  const wanted = lockedVersions(join(root, 'package-lock.json'));
  return [...wanted].some(
    ([name, entry]) =>
      !entry.optional &&
      !entry.devOptional &&
      (withDev || !entry.dev) &&
      present.get(name)?.version !== entry.version,
  );
}

function lockedVersions(file) {
  const { packages } = JSON.parse(readFileSync(file, 'utf8'));
  return new Map(Object.entries(packages).filter(([name]) => name !== ''));
}

function nodeIsTooOld() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major < 22 || (major === 22 && minor < 18);
}

function nodePackage() {
  return `node-${process.platform}-${process.arch}`;
}

function npm(args) {
  const viaNpm = process.env.npm_execpath;
  if (viaNpm?.endsWith('.js')) run(process.execPath, [viaNpm, ...args]);
  else run('npm', args);
}

/** What a person should read is on stdout; the chatter of tools goes to stderr. */
function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  say(`${command} ${args.slice(0, 2).join(' ')} failed; see above. Try again, or run it by hand.`);
  process.exit(1);
}

function say(text) {
  process.stderr.write(`fleet: ${text}\n`);
}
