import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { check, checkedClone } from '../../../../test/support/places/check-place.ts';
import { CHECK_OUTPUT_BYTES } from '../../../domain/review/checks.ts';
import { treesOf } from './check-place.ts';
import { cachedResults } from './run-checks.ts';

describe('checks of a commit', () => {
  it('run on a clean checkout of it, which is one commit of its own [CHECK-committed]', async () => {
    using place = await checkedClone();
    const commit = await place.commit('echo new > new.txt');
    place.clone.agent('echo dirty > dirty.txt; echo other > new.txt');
    const script =
      'ls; cat new.txt; git status --porcelain; git log --format=%s; git diff HEAD; git show HEAD:new.txt';
    const [result] = await place.run(commit, [check('tests', script)]);
    expect(result).toMatchObject({ name: 'tests', state: 'passing', exit_code: 0 });
    expect(result?.output).toBe('file.txt\nnew.txt\nother.txt\nnew\nThe tree that is checked\nnew');
  });

  it('run in a repository of the other format of objects', async () => {
    using place = await checkedClone({ format: 'sha256' });
    const commit = await place.commit('echo new > new.txt');
    const [result] = await place.run(commit, [
      check('tests', 'git show HEAD:new.txt; git status --porcelain'),
    ]);
    expect(result).toMatchObject({ state: 'passing', output: 'new' });
  });

  it('run on a tree that no commit has', async () => {
    using place = await checkedClone();
    const commit = await place.commit('echo new > new.txt');
    const tree = place.fleetGit('rev-parse', `${commit}~^{tree}`).trim();
    const [result] = await place.run(tree, [check('tests', 'test ! -e new.txt')]);
    expect(result?.state).toBe('passing');
  });

  it('of the same tree in two fleets do not end each other', async () => {
    using one = await checkedClone();
    using other = await checkedClone();
    const [commit, same] = [await one.commit('echo new > new.txt'), await other.commit('echo new > new.txt')];
    const long = one.run(commit, [check('tests', 'sleep 3')]);
    await vi.waitFor(() => expect(one.said.at(-1)).toContain('running'), 30_000);
    for (const name of ['first', 'second'])
      expect(await other.run(same, [check(name, `test ${name}`)])).toMatchObject([{ state: 'passing' }]);
    expect(await long).toMatchObject([{ state: 'passing', output: '' }]);
  });

  it('fail with their exit code and the end of what they printed', async () => {
    using place = await checkedClone();
    const commit = await place.commit('echo new > new.txt');
    const results = await place.run(commit, [
      check('tests', 'echo out; echo err >&2; exit 3'),
      check('lint', 'true'),
      check('loud', 'yes 0123456789 | head -c 10000000; echo the end; exit 1'),
    ]);
    expect(results.map(({ name, state, exit_code }) => [name, state, exit_code])).toEqual([
      ['tests', 'failing', 3],
      ['lint', 'passing', 0],
      ['loud', 'failing', 1],
    ]);
    expect(results[0]?.output.split('\n').toSorted()).toEqual(['err', 'out']);
    expect(Buffer.byteLength(results[2]?.output ?? '')).toBeLessThanOrEqual(CHECK_OUTPUT_BYTES);
    expect(results[2]?.output).toMatch(/the end$/);
  });

  it('that do not exist fail and say so', async () => {
    using place = await checkedClone();
    const commit = await place.commit('true');
    const missing = { ...check('tests', ''), command: ['no-such-program-of-fleet'] };
    const [result] = await place.run(commit, [missing]);
    expect(result).toMatchObject({ state: 'failing' });
    expect(result?.output).toContain('no-such-program-of-fleet');
  });

  it('are stopped at their limit with all that they started [CHECK-limit]', async () => {
    using place = await checkedClone();
    const commit = await place.commit('true');
    const hangs = check(
      'hangs',
      `trap '' INT TERM; (trap '' INT TERM; exec -a forked-by-check sleep 1000) & sleep 1000`,
      300,
    );
    const script = { ...hangs, command: ['bash', ...hangs.command.slice(1)] };
    const [result] = await place.run(commit, [script]);
    expect(result).toMatchObject({ state: 'failing', exit_code: null });
    expect(result?.output).toContain('took longer than 0.3 s');
    const left = readdirSync('/proc').filter((pid) => nameOf(pid).includes('forked-by-check'));
    expect(left).toEqual([]);
  });

  it('run once for the same tree, command and set-up, unless they are run again [CHECK-results]', async () => {
    using place = await checkedClone();
    const commit = await place.commit('echo new > new.txt');
    const checks = [check('tests', 'date +%N%s; echo $RANDOM; cat /proc/sys/kernel/random/uuid')];
    const [first] = await place.run(commit, checks);
    expect(await place.run(commit, checks)).toEqual([first]);
    expect(await cachedResults(place.request, commit, checks)).toEqual([first]);
    const [second] = await place.run(commit, checks, { again: true });
    expect(second?.output).not.toBe(first?.output);
    expect(await cachedResults(place.request, commit, checks)).toEqual([second]);
    const amended = await place.commit('git commit --quiet --amend -m renamed; echo more > more.txt');
    expect(await cachedResults(place.request, amended, checks)).toEqual([]);
  });

  it('that did not run to their end are known and run again', async () => {
    using place = await checkedClone();
    const commit = await place.commit('true');
    const checks = [check('tests', 'sleep 1000', 100)];
    await place.run(commit, checks);
    expect(await cachedResults(place.request, commit, checks)).toMatchObject([{ exit_code: null }]);
    await place.run(commit, checks);
    expect(place.said.filter((line) => line.includes('running'))).toHaveLength(2);
  });

  it('share nothing but ignored files and what the set-up made', async () => {
    using place = await checkedClone();
    const commit = await place.commit('echo new > new.txt');
    writeFileSync(join(place.clone.repository, '.env'), 'COPIED=1\n');
    const plan = {
      ...place.clone.work.plan,
      setup: [
        'sh',
        '-c',
        'mkdir -p build made; echo s > build/s; echo m > "made/a b"; echo changed > other.txt',
      ],
      copy: ['.env'],
    };
    const look = 'cat .env build/s "made/a b" other.txt; git status --porcelain; ls; test ! -e /tmp/left';
    const results = await place.run(
      commit,
      [
        check(
          'breaks',
          'echo x > file.txt; echo y > fresh; rm new.txt; rm -rf .git; mkdir -p /tmp/left; chmod 000 /tmp/left',
        ),
        check('tests', look),
      ],
      { plan },
    );
    expect(results[0]).toMatchObject({ state: 'passing' });
    expect(results[1]?.output).toBe('COPIED=1\ns\nm\nother\nbuild\nfile.txt\nmade\nnew.txt\nother.txt');
    expect(place.said.filter((line) => line.startsWith('set-up'))).toHaveLength(1);
  });

  it('all fail with its reason when the set-up fails, and it is tried again [CHECK-setup]', async () => {
    using place = await checkedClone();
    const commit = await place.commit('true');
    const plan = { ...place.clone.work.plan, setup: ['sh', '-c', 'echo no network >&2; exit 7'] };
    const checks = [check('tests', 'true'), check('lint', 'true')];
    for (const result of await place.run(commit, checks, { plan })) {
      expect(result).toMatchObject({ state: 'failing', exit_code: null });
      expect(result.output).toMatch(/set-up .* failed with exit code 7\nno network/);
    }
    await place.run(commit, checks, { plan });
    expect(place.said.filter((line) => line.startsWith('set-up'))).toHaveLength(2);
  });

  it('of a commit that has not arrived are refused', async () => {
    using place = await checkedClone();
    await expect(place.run('f'.repeat(40), [check('tests', 'true')])).rejects.toMatchObject({
      details: { reason: 'commit_missing' },
    });
  });

  it('that are given up keep the results so far', async () => {
    using place = await checkedClone();
    const commit = await place.commit('true');
    const abort = new AbortController();
    const checks = [check('first', 'true'), check('hangs', 'sleep 1000')];
    const progress = (message: string): void => {
      if (message.startsWith('hangs: running')) abort.abort(new Error('given up'));
    };
    await expect(place.run(commit, checks, { signal: abort.signal, progress })).rejects.toThrow('given up');
    expect(await cachedResults(place.request, commit, checks)).toMatchObject([
      { name: 'first', state: 'passing' },
    ]);
  });

  it('of one tree run one after the other, and the second finds the results of the first', async () => {
    using place = await checkedClone();
    const commit = await place.commit('true');
    const checks = [check('tests', 'cat /proc/sys/kernel/random/uuid')];
    const [one, other] = await Promise.all([place.run(commit, checks), place.run(commit, checks)]);
    expect(one).toEqual(other);
  });

  it('keep the prepared trees that were used last', async () => {
    using place = await checkedClone();
    for (let number = 0; number < 6; number++) {
      const commit = await place.commit(`echo ${number} > number.txt`);
      await place.run(commit, [check('tests', 'true')]);
    }
    const trees = readdirSync(treesOf(place.request.home, 'Setup'));
    expect(trees).toHaveLength(4);
    expect(existsSync(join(place.request.home, 'checks', 'locks'))).toBe(true);
  });
});

function nameOf(pid: string): string {
  try {
    return /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : '';
  } catch {
    return '';
  }
}
