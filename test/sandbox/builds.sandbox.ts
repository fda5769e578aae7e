import { spawnSync } from 'node:child_process';
import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../../src/platform/processes/find-program.ts';
import { asUser, LEVELS, why, type ContainedFleet, type Level } from '../contained/level.ts';
import { BUILDS, type Build } from './builds.ts';
import { TOOL_PATH, toolFleet, work } from './work.ts';

describe.each(LEVELS.filter(({ sealed }) => sealed))('an agent $name', (level) => {
  for (const build of BUILDS) {
    const skip = level.skip ?? problemOf(build, level);
    it.skipIf(skip !== undefined)(
      `can use ${build.what}, with a cache of its project and nothing in the home directory${why({ ...level, skip })}`,
      async () => {
        await using fleet = toolFleet(level);
        const before = listing(fleet.userHome);
        // What the first one fetched is there for the second one, which fetches nothing.
        for (const [name, script] of Object.entries({ first: build.script, second: build.offline ?? '' }))
          if (script !== '') expect(await work(fleet, name, { script })).toSatisfy(endsWith(build.prints));
        if (build.cache !== undefined) expect(readdirSync(cachesOf(fleet))).toContain(build.cache);
        expect(listing(fleet.userHome)).toEqual(before);
      },
    );
  }
});

/** Why a tool cannot be had at this level. */
function problemOf({ needs }: Build, level: Level): string | undefined {
  for (const { program, args } of needs) {
    if (findProgram(program, TOOL_PATH) === undefined) return `there is no ${program}`;
    const [file = '', ...words] = [...asUser(level.uid), program, ...args];
    const env = { PATH: TOOL_PATH, HOME: level.uid === undefined ? homedir() : '/' };
    const { status } = spawnSync(file, words, { env, stdio: 'ignore', cwd: '/' });
    if (status !== 0) return `this user cannot run ${program}`;
  }
  return undefined;
}

/** Some tools leave colours in front of it. */
function endsWith(text: string) {
  return (lines: readonly string[]): boolean => lines.some((line) => line.endsWith(text));
}

function cachesOf({ home }: ContainedFleet): string {
  const [project = ''] = readdirSync(join(home, 'caches'));
  return join(home, 'caches', project);
}

function listing(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => {
      const path = join(directory, name);
      return lstatSync(path).isSymbolicLink() ? `${name} -> ${readlinkSync(path)}` : name;
    })
    .toSorted();
}
