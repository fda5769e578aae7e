import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOf } from '../tools/packages.ts';

/** The library of the server over ssh; the client is the machine's own. */
export const SSH_SERVER = { name: 'ssh2', version: '1.17.0', program: 'lib/index.js' };

export interface GitServer extends AsyncDisposable {
  readonly port: number;
}

/** Serves the repositories of a directory over https, to one account; the certificate is `cert.pem` there. */
export function gitOverHttps(directory: string, account: string): Promise<GitServer> {
  const [certificate, key] = ['cert.pem', 'key.pem'].map((name) => join(directory, name)) as [string, string];
  const request = `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost`;
  run('openssl', [...request.split(' '), '-keyout', key, '-out', certificate]);
  return start('git-https.mjs', [directory, certificate, key, account]);
}

/** Serves over ssh, to whoever has the key of which the public half is in the file. */
export function gitOverSsh(directory: string, publicKey: string): Promise<GitServer> {
  const hostKey = join(directory, 'host-key');
  run('ssh-keygen', ['-q', '-t', 'ecdsa', '-m', 'PEM', '-N', '', '-f', hostKey]);
  return start('git-ssh.cjs', [programOf(SSH_SERVER) ?? '', hostKey, publicKey]);
}

async function start(program: string, args: readonly string[]): Promise<GitServer> {
  const file = fileURLToPath(new URL(`./programs/${program}`, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const ended = once(child, 'close');
  return {
    port: Number(line.toString()),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export function run(file: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
  const { status, stdout, stderr } = spawnSync(file, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} ended with ${status}: ${stderr}`);
  return stdout;
}
