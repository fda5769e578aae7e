import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFleet, type Finished } from '../support/fleets/fleet-process.ts';
import { makePlace, type Place } from './place.ts';

let place: Place;
let config: string;
let below: string;
beforeAll(async () => {
  place = makePlace((userHome) => ({ FLEET_HOME: join(userHome, 'f') }));
  config = join(place.repository, 'fleet.yaml');
  below = join(place.repository, 'src', 'deep');
  mkdirSync(below, { recursive: true });
  expect(await place.fleet('init', '--yes')).toMatchObject({ code: 0 });
});
afterAll(() => place[Symbol.asyncDispose]());

const inside = (...args: string[]): Promise<Finished> => runFleet(args, { env: place.env, cwd: below });

describe('a fleet.yaml above the current directory', () => {
  it('is used, with its paths, up to the root of the git repository', async () => {
    expect((await inside('projects')).stdout).toContain('repository');
    const created = await inside(
      'create',
      'repository',
      '--name',
      'first',
      '--wait',
      'test -f fleet.yaml; ls',
    );
    expect(created).toMatchObject({ code: 0 });
    const outside = await runFleet(['projects'], { env: place.env, cwd: place.directory });
    expect(outside.stdout).toBe('');
  });

  it('makes fleet init say so and write nothing, also with --force', async () => {
    for (const force of [[], ['--force']]) {
      const { code, stderr } = await inside('init', '--yes', ...force);
      expect(code).toBe(4);
      expect(stderr).toContain(config);
      expect(existsSync(join(below, 'fleet.yaml'))).toBe(false);
    }
  });

  it('has to be trusted like one in the current directory', async () => {
    appendFileSync(config, '# changed\n');
    const refused = await inside('create', 'repository', 'true');
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining(`fleet trust ${config}`) });
    expect(await inside('trust')).toMatchObject({ code: 0, stdout: expect.stringContaining(config) });
    expect(await inside('create', 'repository', '--name', 'second', '--wait', 'true')).toMatchObject({
      code: 0,
    });
  });
});
