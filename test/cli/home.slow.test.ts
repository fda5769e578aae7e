import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFleet, serveFleet } from '../support/fleets/fleet-process.ts';
import { makePlace, type Place } from './place.ts';

let place: Place;

beforeAll(() => {
  place = makePlace();
});
afterAll(() => place[Symbol.asyncDispose]());

const mode = (path: string): number => statSync(path).mode & 0o777;

describe('the home of a fleet', () => {
  it('is FLEET_HOME, else in XDG_DATA_HOME, else in ~/.local/share, with mode 0700 [NAME-home]', async () => {
    const { userHome, repository } = place;
    const [chosen, data] = [join(userHome, 'chosen'), join(userHome, 'data')];
    const cases: readonly [variables: NodeJS.ProcessEnv, home: string][] = [
      [{ FLEET_HOME: chosen, XDG_DATA_HOME: data }, chosen],
      [{ XDG_DATA_HOME: data }, join(data, 'fleet')],
      [{}, join(userHome, '.local', 'share', 'fleet')],
    ];
    // One that is there and open to others is closed.
    mkdirSync(chosen, { mode: 0o755 });
    for (const [variables, home] of cases) {
      const env = { ...place.env, ...variables };
      expect(await runFleet(['list'], { env, cwd: repository })).toMatchObject({ code: 0 });
      expect(existsSync(join(home, 'store.db'))).toBe(true);
      expect(mode(home)).toBe(0o700);
    }
    expect(readdirSync(userHome).toSorted()).toEqual(['.local', 'chosen', 'data']);
  });

  it.skipIf(process.platform !== 'linux')(
    'that cannot be made is refused at once, and a file in its place is left as it is (Linux)',
    async () => {
      const file = join(place.userHome, 'a-file');
      writeFileSync(file, 'mine', { mode: 0o644 });
      for (const home of ['/proc/nothing-can-be-made-here', file, join(file, 'below')]) {
        const { code, stderr } = await runFleet(['list'], { env: { ...place.env, FLEET_HOME: home } });
        expect([code, stderr]).toEqual([7, expect.stringContaining('Set FLEET_HOME to a directory')]);
      }
      expect([readFileSync(file, 'utf8'), mode(file)]).toEqual(['mine', 0o644]);
    },
  );

  it('may have a path that is too long for a socket [NAME-long-socket-path]', async () => {
    const home = join(place.userHome, ...Array.from({ length: 5 }, () => 'a-long-name-of-a-directory'));
    const config = join(place.directory, 'long.yaml');
    writeFileSync(
      config,
      `version: 1
projects: { Long: { repository: ${place.repository}, default_role: shell } }
roles: { shell: { agent: command, command: [sh, -s] } }
`,
    );
    const runtime = join(place.directory, 'run');
    mkdirSync(runtime);
    const env = { ...place.env, FLEET_HOME: home, FLEET_CONFIG: config, XDG_RUNTIME_DIR: runtime };
    expect(home.length).toBeGreaterThan(108);
    const fleet = (...args: string[]) => runFleet(args, { env, cwd: place.directory });
    const text = 'fleet report heard; fleet task --self "echo again"';
    expect(await fleet('create', 'Long', '--name', 'far', '--wait', text)).toMatchObject({ code: 0 });
    expect(await fleet('wait', 'far')).toMatchObject({ code: 0 });
    const history = JSON.parse((await fleet('history', 'far', '--json')).stdout) as { tasks: object[] };
    expect(history.tasks).toMatchObject([
      { message: 'echo again', state: 'complete' },
      { message: 'heard', kind: 'report' },
      { message: text, state: 'complete' },
    ]);
    const sockets = (): string[] => readdirSync(join(runtime, `fleet-${process.getuid?.()}`));
    expect(sockets()).toHaveLength(2);
    expect(await fleet('delete', 'far')).toMatchObject({ code: 0 });
    expect(sockets()).toEqual([]);
  });
});

/** Every file under a directory, with what it holds. */
function snapshot(directory: string, skip: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (path: string): void => {
    if (skip.includes(path)) return;
    const entry = lstatSync(path);
    if (!entry.isDirectory()) found[path] = entry.isFile() ? readFileSync(path, 'latin1') : 'special';
    else {
      found[path] = 'directory';
      for (const name of readdirSync(path)) visit(join(path, name));
    }
  };
  visit(directory);
  return found;
}

describe('fleet', () => {
  it('writes nowhere but to its home and the branches of repositories [NAME-writes-nowhere-else]', async () => {
    const own = makePlace(() => ({ NODE_COMPILE_CACHE: undefined }));
    try {
      const home = join(own.userHome, '.fleet');
      const config = join(own.directory, 'fleet.yaml');
      writeFileSync(
        config,
        `version: 1
projects: { Tidy: { repository: ${own.repository}, default_role: shell } }
roles: { shell: { agent: command, command: [sh, -s] } }
`,
      );
      const env = { ...own.env, FLEET_HOME: home, FLEET_CONFIG: config };
      const fleet = (...args: string[]) => runFleet(args, { env, cwd: own.directory });
      const git = (...args: string[]): string =>
        execFileSync('git', ['-C', own.repository, ...args], { encoding: 'utf8' }).trim();
      // Sockets whose path would be too long in the home, as below a deep temporary directory.
      const sockets = join(own.directory, 'tmp', `fleet-${process.getuid?.() ?? 0}`);
      const skip = [home, join(own.repository, '.git'), sockets];
      const before = { files: snapshot(own.directory, skip), refs: git('for-each-ref') };
      const gitBefore = Object.keys(snapshot(join(own.repository, '.git'), []));

      expect(await fleet('create', 'Tidy', '--name', 'tidy', '--wait', 'echo x > new.txt')).toMatchObject({
        code: 0,
      });
      {
        await using served = await serveFleet(env);
        expect(await served.request('GET', '/api/v1/agents')).toMatchObject({ status: 200 });
        await served.kill('SIGTERM');
      }
      for (const args of [
        ['doctor'],
        ['token'],
        ['token', 'create', 'ci'],
        ['audit'],
        ['kept'],
        ['gc', '--yes'],
      ])
        expect([args, (await fleet(...args)).code]).toEqual([args, 0]);
      expect(await fleet('delete', 'tidy')).toMatchObject({ code: 0 });

      expect(snapshot(own.directory, skip)).toEqual(before.files);
      const added = git('for-each-ref', '--format=%(refname)')
        .split('\n')
        .filter((ref) => !before.refs.includes(ref));
      expect(added).toEqual([
        expect.stringMatching(/^refs\/fleet\/pins\/[0-9a-f-]{36}$/),
        expect.stringMatching(/^refs\/heads\/fleet-kept\/tidy\/[0-9a-f-]{36}$/),
      ]);
      const gitAdded = Object.keys(snapshot(join(own.repository, '.git'), []))
        .filter((path) => !gitBefore.includes(path))
        .map((path) => path.slice(join(own.repository, '.git').length + 1));
      expect(
        gitAdded.filter(
          (path) =>
            !/^(objects|packed-refs|(logs\/)?refs\/(heads\/fleet|remotes|fleet(\/pins|$)))/.test(path),
        ),
      ).toEqual([]);
    } finally {
      await own[Symbol.asyncDispose]();
    }
  });
});
