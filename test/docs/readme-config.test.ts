import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makePlace } from '../cli/place.ts';
import { blocksOf, pages } from './pages.ts';

it('the fleet.yaml of the README works in a repository that has nothing but a commit', async () => {
  const readme = pages().find(({ path }) => path === 'README.md');
  const [block] = readme === undefined ? [] : blocksOf(readme, 'yaml');
  await using place = makePlace((userHome) => ({ FLEET_HOME: join(userHome, 'f') }));
  writeFileSync(join(place.repository, 'fleet.yaml'), block?.content ?? '');
  expect(await place.fleet('trust')).toMatchObject({ code: 0 });
  const created = await place.fleet('create', 'my-repository', '--name', 'first', '--wait', 'git log -1');
  expect(created, created.stderr).toMatchObject({ code: 0 });
});
