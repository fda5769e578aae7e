import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../../../src/platform/processes/find-program.ts';
import { docker, hasImage } from './docker.ts';
import { dockerCache } from './docker-cache.ts';

const run = promisify(execFile);
const PUBLIC = 'node:24-bookworm-slim';
const CERTIFICATES = 'usr/local/lib/certificates.pem';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const OURS = `fleet-test-base:node-${process.versions.node}`;

/** The image that our recipe begins with: the public one, else one of Debian's packages and this machine's Node. */
export async function baseImage(): Promise<string> {
  for (const name of [OURS, PUBLIC]) if (await hasImage(name)) return name;
  const pulled = await docker('pull', '--quiet', PUBLIC).then(
    () => true,
    () => false,
  );
  if (pulled) return PUBLIC;
  const root = mkdtempSync(join(dockerCache(), 'base-'));
  try {
    await run('debootstrap', ['--variant=minbase', 'bookworm', root]);
    addNode(root);
    addCertificates(root);
    await importImage(root, OURS);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return OURS;
}

function addNode(root: string): void {
  const npm = dirname(dirname(realpathSync(findProgram('npm', process.env['PATH']) ?? '')));
  const modules = join(root, 'usr', 'local', 'lib', 'node_modules');
  cpSync(realpathSync(process.execPath), join(root, 'usr', 'local', 'bin', 'node'));
  cpSync(npm, join(modules, 'npm'), { recursive: true, dereference: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr', 'local', 'bin', name));
}

/** A machine behind a proxy has certificates of its own, without which npm in a container reaches nothing. */
function addCertificates(root: string): void {
  const file = machineCertificates();
  if (file !== '') cpSync(realpathSync(file), join(root, CERTIFICATES));
}

function machineCertificates(): string {
  return process.env['NODE_EXTRA_CA_CERTS'] ?? '';
}

async function importImage(root: string, name: string): Promise<void> {
  const archive = `${root}.tar`;
  try {
    await run('tar', ['-C', root, '-cf', archive, '.']);
    const certificates = machineCertificates() === '' ? [] : [`NODE_EXTRA_CA_CERTS=/${CERTIFICATES}`];
    const values = [`PATH=${PATH}`, ...certificates];
    await docker('import', ...values.flatMap((value) => ['--change', `ENV ${value}`]), archive, name);
  } finally {
    rmSync(archive, { force: true });
  }
}
