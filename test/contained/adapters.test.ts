import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ContainedFleet, LEVELS, why } from './level.ts';

describe.each(LEVELS.filter(({ sealed }) => sealed))('an agent $name', (level) => {
  it.skipIf(level.skip !== undefined)(
    `runs an installed adapter and cannot change it${why(level)}`,
    async () => {
      await using fleet = new ContainedFleet(level);
      const adapters = join(fleet.home, 'adapters');
      const program = join(adapters, 'some', '1.0.0', 'program');
      fleet.create('installer', 'open-shell', installing(program));
      fleet.create(
        'user',
        'shell',
        `'${program}'\ntouch '${adapters}/new' '${program}' 2>&- || echo refused`,
      );
      expect(fleet.lines('user')).toEqual(['runs', 'refused']);
      expect(existsSync(join(adapters, 'new'))).toBe(false);
    },
  );
});

/** By an agent that nothing is hidden from, so that the files are the level's user's. */
function installing(program: string): string {
  return `mkdir -p "$(dirname '${program}')" && printf '#!/bin/sh\\necho runs\\n' > '${program}' && chmod 700 '${program}'`;
}
