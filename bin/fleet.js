#!/usr/bin/env node
// The `fleet` command. Runs src/ in a checkout and dist/ in the published package, on a Node that is new
// enough: when the one that started it is too old, on the one that the checkout brought.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const source = join(root, 'src', 'cli', 'main.ts');
const built = join(root, 'dist', 'main.js');
const inCheckout = existsSync(source);

if (isNewEnough(process.versions.node)) {
  keepCompiledCode(process.env);
  try {
    await import(pathToFileURL(inCheckout ? source : built).href);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' && error.code !== 'ERR_INVALID_PACKAGE_CONFIG') throw error;
    sayIncomplete('some of its files are missing');
  }
} else {
  await runAgainOnBroughtNode();
}

// The version that package.json names: from it on Node runs TypeScript without a flag.
function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

// Compiled code is kept in the fleet's home, so that the next start is quick; an agent's home is not its own to write to.
function keepCompiledCode(env) {
  if (env.FLEET_SELF_SOCKET) return;
  const data = env.XDG_DATA_HOME?.startsWith('/')
    ? env.XDG_DATA_HOME
    : join(env.HOME ?? homedir(), '.local', 'share');
  const home = env.FLEET_HOME || join(data, 'fleet');
  if (existsSync(home)) module.enableCompileCache?.(join(home, 'cache', 'compile'));
}

async function runAgainOnBroughtNode() {
  const brought = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (!existsSync(brought)) {
    const { node } = process.versions;
    if (!existsSync(built))
      return sayIncomplete(`Node ${node} is too old, and the one that npm ci brings is not there`);
    process.stderr.write(`fleet: Node ${node} is too old. Install Node 22.18 or newer.\n`);
    process.exit(1);
  }
  const { spawn } = await import('node:child_process');
  const child = spawn(brought, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, FLEET_LAUNCHER_PID: String(process.pid) },
  });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGWINCH', 'SIGCONT'];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`fleet: ${brought} could not be started: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

// As any other failure is told: the exit code and the form of SERVICE_UNAVAILABLE.
function sayIncomplete(what) {
  const message = `Fleet is being installed, or is not installed yet: ${what}. Try again in a moment, or run \`npm ci\` in the checkout.`;
  const words = process.argv.slice(2);
  const asJson = words[0] === 'call' || words.includes('--json');
  if (asJson) {
    const error = { code: 'SERVICE_UNAVAILABLE', message, details: { reason: 'installing' } };
    process.stdout.write(`${JSON.stringify({ error })}\n`);
  } else process.stderr.write(`fleet: ${message}\n`);
  process.exitCode = 7;
}
