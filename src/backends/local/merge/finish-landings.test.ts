import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEAD, landStage } from '../../../../test/support/places/land-stage.ts';
import { identify } from '../../../platform/processes/process-identity.ts';
import { finishDeadLandings } from './finish-landings.ts';

const COMMIT = 'echo a > a.txt; git add .; git commit --quiet -m "add a"';

describe('a landing whose process died', () => {
  it('is rolled back when only some files were written', async () => {
    using place = await landStage('echo 1 > one.txt; echo 2 > two.txt; git add .; git commit --quiet -m two');
    place.agent(
      'echo ONE > one.txt; echo TWO > two.txt; echo new > new.txt; git add .; git commit --quiet -m all',
    );
    const before = place.state();
    const { land_id, after, before: from } = await place.land();
    // As git leaves it when it is killed in the middle.
    place.user(
      `git reset --quiet --hard ${from ?? ''}; echo ONE > one.txt; echo new > new.txt; : > .git/index.lock`,
    );
    place.interrupted(land_id, { from: from ?? '', to: after ?? '' });
    await finishDeadLandings(place.work.home, place.landings);
    expect(place.state()).toEqual(before);
    expect(existsSync(join(place.repository, '.git', 'index.lock'))).toBe(false);
    expect(place.landings.find(land_id)).toMatchObject({ state: 'failed', process: null });
  });

  it('is left alone where somebody has changed a file since', async () => {
    using place = await landStage('echo 1 > one.txt; git add .; git commit --quiet -m one');
    place.agent('echo ONE > one.txt; git commit --quiet -am all');
    const { land_id, after, before: from } = await place.land();
    place.user(`git reset --quiet --hard ${from ?? ''}; echo mine > one.txt`);
    place.interrupted(land_id, { from: from ?? '', to: after ?? '' });
    await finishDeadLandings(place.work.home, place.landings);
    expect(readFileSync(join(place.repository, 'one.txt'), 'utf8')).toBe('mine\n');
    expect(place.landings.find(land_id)?.message).toContain('one.txt has changed since');
  });

  it('is landed when its branch has moved, told once, and holds no commit any longer', async () => {
    using place = await landStage();
    place.agent(COMMIT);
    const { land_id, after, before: from } = await place.land();
    place.git('update-ref', `refs/fleet/landings/${land_id}`, after ?? '');
    place.interrupted(land_id, { from: from ?? '', to: after ?? '' });
    await finishDeadLandings(place.work.home, place.landings);
    expect(place.landings.find(land_id)).toMatchObject({ state: 'landed', process: null, intent: null });
    expect(place.events()).toMatchObject([{ kind: 'landed', data: { land_id, after, into: 'main' } }]);
    expect(place.git('for-each-ref', 'refs/fleet/landings')).toBe('');
  });

  it('begins again with the same id when nothing was changed', async () => {
    using place = await landStage();
    place.agent(COMMIT);
    const landing = place.begun();
    place.landings.change(landing.land_id, { process: DEAD });
    place.git('update-ref', `refs/fleet/landings/${landing.land_id}`, 'main');
    await finishDeadLandings(place.work.home, place.landings);
    expect(place.landings.find(landing.land_id)).toMatchObject({ state: 'failed' });
    expect(place.git('for-each-ref', 'refs/fleet/landings')).toBe('');
    expect(place.landings.insert(landing)).toBe(true);
    expect(place.landings.insert(landing)).toBe(false);
    expect(place.landings.find(landing.land_id)).toMatchObject({ state: 'running', error: null });
  });

  it('is not touched while its process lives', async () => {
    using place = await landStage();
    place.agent(COMMIT);
    const { land_id, after, before: from } = await place.land();
    place.landings.change(land_id, {
      state: 'running',
      process: identify(process.pid),
      intent: { from: from ?? '', to: after ?? '', checkout: null, at: 0, undo: false },
    });
    await finishDeadLandings(place.work.home, place.landings);
    expect(place.landings.find(land_id)).toMatchObject({ state: 'running' });
  });
});
