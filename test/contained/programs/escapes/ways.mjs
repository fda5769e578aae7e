// What the ways out have in common. Each leaves things as they were where it gets somewhere.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, closeSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';

/** Says for each way whether it got anywhere, one JSON line each. */
export async function tryAll(attempts) {
  for (const [what, attempt] of Object.entries(attempts)) {
    const outcome = await Promise.resolve()
      .then(attempt)
      .then(
        () => 'yes',
        (error) => `no: ${error.code ?? error.message}`,
      );
    console.log(JSON.stringify({ what, outcome }));
  }
}

export function run(file, ...args) {
  return execFileSync(file, args, { encoding: 'utf8', stdio: 'pipe' });
}

/** In namespaces of its own, where it is root. */
export function nested(script, ...more) {
  return run('unshare', '--user', '--map-root-user', '--mount', ...more, 'sh', '-c', script);
}

/** Writes a file, which may be new. */
export function plant(path) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'planted');
}

/** Opens a file for writing, and writes nothing. */
export function open(path) {
  closeSync(openSync(path, 'r+'));
}

/** Makes something in a directory, and removes it. */
export function makeIn(directory) {
  rmdirSync(mkdtempSync(join(directory, 'fleet-')));
}

/** Of the powers that a process can have, by their numbers in the kernel. */
export function needPower(number) {
  const [, held] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  if (((BigInt(`0x${held}`) >> BigInt(number)) & 1n) === 0n) throw new Error('not held');
}

export function reach(address) {
  return new Promise((resolve, reject) => {
    const connection = connect(address);
    connection.once('connect', () => resolve(connection.destroy())).once('error', reject);
  });
}

/** The first of the ways that gets somewhere; fails when there is none. */
export function anyOf(places, attempt) {
  const problems = new Set();
  for (const place of places) {
    try {
      attempt(place);
      return place;
    } catch (error) {
      problems.add(error.code ?? error.message);
    }
  }
  throw new Error([...problems].join(', ') || 'there is none');
}
