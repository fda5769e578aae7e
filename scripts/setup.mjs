// Makes a checkout ready: installs the locked packages when they are missing or stale, and brings a
// current Node into node_modules when the machine's own is too old. Runs on any Node from 18 on.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const NODE_PACKAGE_VERSION = '24.21.0';

if (!process.argv.includes('--node-only') && packagesAreStale()) {
  say('installing packages (npm ci) …');
  npm(['ci', '--no-fund', '--no-audit']);
}
if (nodeIsTooOld() && !existsSync(join(root, 'node_modules', nodePackage(), 'bin', 'node'))) {
  say(`Node ${process.version} is too old: bringing Node ${NODE_PACKAGE_VERSION} into node_modules …`);
  npm([
    'install',
    '--no-save',
    '--ignore-scripts',
    '--no-fund',
    '--no-audit',
    '--no-package-lock',
    `${nodePackage()}@${NODE_PACKAGE_VERSION}`,
  ]);
}

function packagesAreStale() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return true;
  if (statSync(installed).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs) return false;
  const wanted = lockedVersions(join(root, 'package-lock.json'));
  const present = lockedVersions(installed);
  return [...wanted].some(([name, entry]) => !entry.optional && present.get(name)?.version !== entry.version);
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
  const [command, rest] = viaNpm?.endsWith('.js') ? [process.execPath, [viaNpm, ...args]] : ['npm', args];
  // npm start prints to stdout what a person should read; npm's own chatter goes to stderr.
  const { status } = spawnSync(command, rest, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    say(`npm ${args[0]} failed; see above. Try again, or run it by hand.`);
    process.exit(1);
  }
}

function say(text) {
  process.stderr.write(`fleet: ${text}\n`);
}
