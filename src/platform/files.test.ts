import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ensureHome, resolveHome } from './home.ts';
import { placeSocket, socketPath } from './socket-path.ts';
import { writeFileAtomic } from './write-file.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-files-'));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

describe('the home of a fleet', () => {
  it('is FLEET_HOME, else in XDG_DATA_HOME, else in the home of the user', () => {
    const home = '/home/somebody';
    expect(resolveHome({ FLEET_HOME: '/x/y', XDG_DATA_HOME: '/data', HOME: home })).toBe('/x/y');
    expect(resolveHome({ FLEET_HOME: '', XDG_DATA_HOME: '/data', HOME: home })).toBe('/data/fleet');
    expect(resolveHome({ XDG_DATA_HOME: 'not/absolute', HOME: home })).toBe(
      '/home/somebody/.local/share/fleet',
    );
    expect(resolveHome({ HOME: home })).toBe('/home/somebody/.local/share/fleet');
  });

  it('is made for its owner alone, and closed to others when it was open', () => {
    const home = ensureHome(join(directory, 'a', 'home'));
    expect(statSync(home).mode & 0o777).toBe(0o700);
    const open = join(directory, 'open');
    mkdirSync(open, { mode: 0o755 });
    ensureHome(open);
    expect(statSync(open).mode & 0o777).toBe(0o700);
  });

  it('that cannot be used is an error that quotes it and says what to set', () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    expect(() => ensureHome(join(file, 'home'))).toThrow(
      expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', details: { reason: 'home_unusable' } }),
    );
    expect(() => ensureHome(join(file, 'home'))).toThrow(/file\/home.*FLEET_HOME/s);
  });
});

describe('the path of a socket', () => {
  it('is in its directory while it fits, and elsewhere, apart and usable, when it does not', async () => {
    expect(socketPath('/short', 'a.sock')).toBe('/short/a.sock');
    vi.stubEnv('XDG_RUNTIME_DIR', directory);
    const long = join(directory, 'x'.repeat(100));
    for (const each of [long, `${long}y`]) {
      mkdirSync(each);
      for (const name of ['a.sock', 'b.sock']) placeSocket(each, name);
    }
    const paths = [socketPath(long, 'a.sock'), socketPath(long, 'b.sock'), socketPath(`${long}y`, 'a.sock')];
    expect(new Set(paths).size).toBe(3);
    vi.stubEnv('XDG_RUNTIME_DIR', '/nowhere/at/all');
    expect(socketPath(long, 'a.sock')).toBe(paths[0]);
    for (const path of paths) {
      expect(Buffer.byteLength(path)).toBeLessThanOrEqual(100);
      rmSync(path, { force: true });
      const server = createServer().listen(path);
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
    }
  });
});

describe('writing a file', () => {
  it('replaces it as a whole, for its owner alone, and leaves nothing beside it', () => {
    const file = join(directory, 'written', 'file');
    mkdirSync(join(file, '..'));
    writeFileAtomic(file, 'one');
    writeFileAtomic(file, 'two');
    expect(readFileSync(file, 'utf8')).toBe('two');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(file, '..'))).toEqual(['file']);
  });

  it('that fails leaves the old one and nothing beside it', () => {
    const place = join(directory, 'taken');
    mkdirSync(join(place, 'file'), { recursive: true });
    expect(() => writeFileAtomic(join(place, 'file'), 'text')).toThrow();
    expect(readdirSync(place)).toEqual(['file']);
  });
});
