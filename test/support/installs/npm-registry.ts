import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface TestPackage {
  readonly name: string;
  readonly version: string;
  /** Path and text; package.json is made. */
  readonly files: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export interface NpmRegistry extends AsyncDisposable {
  readonly url: string;
  /** Tarballs that were asked for, in order. */
  readonly fetched: readonly string[];
  /** From now on tarballs are not sent, until the answer is called. */
  hold(): () => void;
}

/** A registry on loopback that the real npm can install a few small packages from. */
export async function npmRegistry(packages: readonly TestPackage[]): Promise<NpmRegistry> {
  const tarballs = new Map(packages.map((each) => [fileOf(each), tarballOf(each)]));
  const fetched: string[] = [];
  let open: Promise<void> = Promise.resolve();
  const send = async (path: string, response: ServerResponse): Promise<void> => {
    const tarball = tarballs.get(path.slice(1));
    if (tarball !== undefined) {
      fetched.push(path.slice(1));
      await open;
      response.end(tarball);
      return;
    }
    const versions = packages.filter(({ name }) => name === path.slice(1));
    if (versions.length === 0) response.writeHead(404).end('{}');
    else response.end(JSON.stringify(packument(versions, url)));
  };
  const server = createServer((request, response) => {
    void send(decodeURIComponent(request.url ?? ''), response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return {
    url,
    fetched,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      open = promise;
      return resolve;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function packument(versions: readonly TestPackage[], url: string): unknown {
  return {
    name: versions[0]?.name,
    'dist-tags': { latest: versions.at(-1)?.version },
    versions: Object.fromEntries(
      versions.map((each) => [
        each.version,
        { ...manifest(each), dist: { tarball: `${url}/${fileOf(each)}` } },
      ]),
    ),
  };
}

function manifest({ name, version, dependencies = {} }: TestPackage): Record<string, unknown> {
  return { name, version, dependencies };
}

function fileOf({ name, version }: TestPackage): string {
  return `${name.replaceAll(/[@/]/g, '-')}-${version}.tgz`;
}

function tarballOf(each: TestPackage): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-package-'));
  const files = { 'package.json': JSON.stringify(manifest(each)), ...each.files };
  for (const [path, text] of Object.entries(files)) {
    const file = join(directory, 'package', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const tarball = join(directory, 'package.tgz');
  execFileSync('tar', ['-czf', tarball, '-C', directory, 'package']);
  const content = readFileSync(tarball);
  rmSync(directory, { recursive: true });
  return content;
}
