import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ContainedFleet, LEVELS, why } from './level.ts';

const ROLE_SECRET = 'secret-of-the-role';

describe.each(LEVELS.filter(({ sealed }) => sealed))('a check $name', (level) => {
  it.skipIf(level.skip !== undefined)(
    `sees neither the fleet nor the secrets of a role, and writes nothing outside${why(level)} [CHECK-sandbox]`,
    async () => {
      await using fleet = new ContainedFleet(level);
      const hidden = join(fleet.userHome, 'hidden');
      mkdirSync(hidden);
      writeFileSync(join(hidden, 'key'), 'hidden-by-the-role');
      fleet.give(hidden);
      fleet.addRole('secretive', {
        agent: 'command',
        command: ['sh', '-s'],
        env: { ROLE_SECRET, HOME: fleet.userHome },
        hide: [hidden],
        write: [fleet.marks],
      });
      const outside = [fleet.userHome, fleet.marks, join(fleet.directory, 'setup'), fleet.home, '/etc'];
      const look = [
        'env',
        `ls -A ${fleet.home}; cat ${join(fleet.home, 'store.db')} ${join(fleet.home, 'token')}`,
        `cat ${join(fleet.home, 'agents')}/*/work/README.md`,
        `cat ${join(hidden, 'key')}`,
        ...outside.map((path) => `if touch ${path}/planted; then echo "wrote to ${path}"; fi`),
        'touch here /tmp/there "$XDG_CACHE_HOME" && mkdir -p "$npm_config_cache/x" && echo wrote its own',
        'git status --porcelain; git log -1 --format=%s; ls /run/fleet',
      ].join('\n');
      const spec = `checks: ${JSON.stringify([{ name: 'look', run: look }])}`;
      fleet.call('create_agent', {
        project: 'Setup',
        name: 'sony',
        role: 'secretive',
        task: 'true',
        spec,
      });
      fleet.idle('sony');
      const { checks } = fleet.call('check_agent', { agent_name: 'sony' });
      const [{ output }] = checks as [{ output: string }];
      expect(output).toContain('wrote its own');
      expect(output).toContain('The tree that is checked');
      expect(output).not.toContain(ROLE_SECRET);
      expect(output).not.toContain('hidden-by-the-role');
      expect(output).not.toContain('wrote to');
      expect(output).not.toMatch(/# a project|SQLite|store\.db$/m);
      expect(output).not.toMatch(/\.sock$/m);
    },
  );
});
