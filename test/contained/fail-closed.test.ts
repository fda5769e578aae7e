import { existsSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../../src/platform/processes/find-program.ts';
import { ContainedFleet, LEVELS, why } from './level.ts';

const [level] = LEVELS;
if (level === undefined) throw new Error('there is no level');

describe('a fleet whose agents have run in namespaces', () => {
  it.skipIf(level.skip !== undefined)(
    `starts no agent without them, unless it is told to${why(level)}`,
    async () => {
      await using fleet = new ContainedFleet(level);
      fleet.create('first', 'shell', 'true');
      const mark = join(fleet.marks, 'ran');
      fleet.create('planter', 'shell', plant(mark));
      fleet.env['PATH'] = withoutNamespaces(join(fleet.directory, 'bin'));
      expect(() => fleet.fleet('diff', 'planter')).toThrow(
        /have run in namespaces, which is no longer possible/,
      );
      expect(() => fleet.fleet('land', 'planter')).toThrow(
        /have run in namespaces, which is no longer possible/,
      );
      const workspace = fleet.call('delete_agent', { agent_name: 'planter' })['workspace_id'];
      expect(existsSync(join(fleet.home, 'archive', String(workspace)))).toBe(true);
      expect(existsSync(mark)).toBe(false);
      fleet.call('create_agent', { project: 'Setup', name: 'second', role: 'shell', task: 'echo ran' });
      fleet.idle('second');
      const { agent } = fleet.call('show_agent', { agent_name: 'second' });
      expect(agent).toMatchObject({
        status: 'failed',
        status_reason: expect.stringContaining('FLEET_CONTAINMENT=marker'),
      });
      expect(fleet.lines('second')).toEqual([]);
      expect(() => fleet.fleet('doctor')).toThrow(/have run in namespaces, which is no longer possible/);
      fleet.env['FLEET_CONTAINMENT'] = 'marker';
      fleet.call('restart_agent', { agent_name: 'second' });
      fleet.idle('second');
      expect(fleet.lines('second')).toEqual(['ran']);
    },
  );
});

/** Work that git reads by a program of the agent. */
function plant(mark: string): string {
  return `git config filter.z.clean 'touch ${mark}; cat'; echo '* filter=z' > .git/info/attributes; echo more >> README.md; rm -f ${mark}`;
}

/** A directory with what a fleet needs, and not with what makes namespaces. */
function withoutNamespaces(bin: string): string {
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  for (const name of ['git', 'sh', 'cat', 'env'])
    symlinkSync(realpathSync(findProgram(name, process.env['PATH']) ?? ''), join(bin, name));
  return `${bin}:${dirname(process.execPath)}`;
}
