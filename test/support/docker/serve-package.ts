import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface PackageServer extends AsyncDisposable {
  /** What npm can install: the address of the packed package. */
  readonly address: string;
}

/** Packs the package that the command is part of, and serves it where containers reach it. */
export async function servePackage(command: string, gateway: string): Promise<PackageServer> {
  const packed = mkdtempSync(join(tmpdir(), 'fleet-packed-'));
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', packed, dirname(dirname(command))], {
    stdio: 'pipe',
  });
  const [name = ''] = readdirSync(packed);
  const tarball = readFileSync(join(packed, name));
  rmSync(packed, { recursive: true });
  const server = createServer((_, response) => void response.end(tarball));
  // The same package has the same address in the next run, so that its image is still known.
  const hash = createHash('sha256').update(tarball).digest();
  const port = 20_000 + (hash.readUInt16BE() % 10_000);
  server.listen(port, gateway);
  await once(server, 'listening');
  return {
    address: `http://${gateway}:${port}/${hash.toString('hex', 0, 8)}/${name}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
