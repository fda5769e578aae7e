import { describe, expect, it } from 'vitest';
import { ContainedFleet, LEVELS, why } from './level.ts';

/** With such a home the path of one socket of an agent is too long, and that of another is not. */
const LENGTHS = [45, 46];

describe.each(LEVELS.filter(({ sealed }) => sealed))('an agent $name', (level) => {
  it.skipIf(level.skip !== undefined)(
    `finds no socket of its runner where long paths are placed${why(level)}`,
    async () => {
      await using fleet = new ContainedFleet(level);
      const sockets = `/tmp/fleet-${level.uid ?? process.getuid?.() ?? 0}`;
      for (const length of LENGTHS) {
        fleet.env['FLEET_HOME'] = `${fleet.directory}/`.padEnd(length, 'h');
        const name = `at${length}`;
        fleet.create(name, 'shell', `ls ${sockets} 2>&1 | grep -c 'runner' || fleet report hello`);
        expect(fleet.lines(name)[0]).toBe('0');
        const { tasks } = fleet.call('show_agent_task_history', { agent_name: name });
        expect(tasks).toMatchObject([{ kind: 'report' }, { state: 'complete' }]);
      }
    },
  );
});
