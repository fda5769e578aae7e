import { describe, expect, it } from 'vitest';
import { escapeStage } from './escape-stage.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ESCAPE_ROWS, securityTable, unlikeRows } from './escape-rows.ts';
import { ContainedFleet, LEVELS, why } from './level.ts';

/** What must be possible without the sandbox, or its being refused inside shows nothing. Root can do more, where it has its
 *  powers. */
const OPEN = [
  'write start-up files of other shells',
  'write a service of its user',
  'write the configuration of tools',
  'write the configuration of coding agents',
  'write the configuration of ssh',
  'move a directory of its user away',
  'move its home directory away',
  'empty a file of its user',
  'change the times of a file of its user',
  'change the owner of a file of its user',
  'write by a descriptor that it has for reading',
  'write by the descriptor of a directory',
  'signal a process of its user',
  'read the environment of a process of its user',
  'remove shared memory of its user',
  'read the files of another agent',
  'put a program before another agent',
  'read the caches of another project',
  'write to the caches of another project',
  'make a workspace of its own choice',
  'move its workspace',
  'move the directory around its workspace',
  'be in the way of the next probe',
  'put a socket in the place of its runner',
  'reach a service on loopback',
  'reach an abstract socket of its user',
];

describe.each(LEVELS.filter(({ sealed }) => sealed))('an agent $name', (level) => {
  it.skipIf(level.skip !== undefined)(`changes nothing but its own${why(level)}`, async () => {
    await using fleet = new ContainedFleet(level);
    await using stage = await escapeStage(fleet);
    const outcomes = stage.outcomes('escaping');
    expect(Object.keys(outcomes).length).toBeGreaterThan(40);
    expect(unlikeRows(outcomes, { user: fleet.user, uses: [] })).toEqual([]);
  });

  it.skipIf(level.skip !== undefined)(`without the sandbox would change all that${why(level)}`, async () => {
    await using fleet = new ContainedFleet(level);
    await using stage = await escapeStage(fleet);
    const outcomes = stage.outcomes('escaping-open');
    expect(OPEN.filter((what) => outcomes[what] !== 'yes').map((what) => [what, outcomes[what]])).toEqual([]);
  });

  it.skipIf(level.skip !== undefined)(
    `that signals the whole group of its processes ends itself, and not its runner${why(level)}`,
    async () => {
      await using fleet = new ContainedFleet(level);
      fleet.create('ada', 'shell', 'exec kill -KILL 0');
      fleet.call('start_agent_task', { agent_name: 'ada', task_description: 'echo alive' });
      fleet.idle('ada');
      expect(fleet.lines('ada').at(-1)).toBe('alive');
      const { tasks } = fleet.call('show_agent_task_history', { agent_name: 'ada' });
      expect(tasks).toMatchObject([{ state: 'complete' }, { state: 'failed' }]);
    },
  );
});

describe('the table in SECURITY.md', () => {
  it('is that of the tests', () => {
    const text = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8');
    expect(text).toContain(`\n${securityTable()}\n`);
  });

  it('has no row that nobody tries', () => {
    const programs = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.mjs') || /^(read-only-world|own-repository)\.test\.ts$/.test(name))
      .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'));
    const tries = ESCAPE_ROWS.flatMap((row) => row.tries).map((what) => what.replace(/^reach (?=a|the)/, ''));
    expect(tries.filter((what) => !programs.some((text) => text.includes(what)))).toEqual([]);
  });
});
