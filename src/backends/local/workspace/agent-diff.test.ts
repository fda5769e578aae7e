import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentClone, type AgentClone } from '../../../../test/support/installs/agent-clone.ts';
import type { AgentDiff, DiffRequest } from '../../../domain/diff/agent-diff.ts';
import { agentDiff } from './agent-diff.ts';

interface Asked extends Partial<DiffRequest> {
  readonly running?: string;
}

function diffOf(place: AgentClone, { running, ...asked }: Asked = {}): Promise<AgentDiff> {
  return agentDiff(place.work, {
    paths: [],
    format: 'files',
    max_bytes: 40_000,
    running: running ?? null,
    ...asked,
  });
}

const paths = ({ files }: AgentDiff): readonly string[] => files.map(({ path }) => path);

async function patchOf(place: AgentClone, max_bytes: number): Promise<string> {
  let text = '';
  let cursor: string | undefined;
  do {
    const page = await diffOf(place, { format: 'patch', max_bytes, cursor });
    text += page.files.map(({ patch }) => patch ?? '').join('');
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  return text;
}

async function checkpoint(place: AgentClone, task: string): Promise<void> {
  await place.reader.takeOver(await place.reader.look());
  await place.reader.checkpoint(`Checkpoint of agent sony\n\nTask: ${task}`, await place.reader.look());
}

describe('the diff of an agent', () => {
  it('has commits, uncommitted and untracked files, each marked [OP-show_agent_diff]', async () => {
    using place = await agentClone();
    place.agent(`echo more >> file.txt; git mv other.txt another.txt; git commit --quiet --all -m one
      echo new > new.txt; chmod +x file.txt; printf '\\0\\1' > image.bin; echo x > x.log`);
    const diff = await diffOf(place);
    expect(diff).toMatchObject({
      branch: 'fleet/sony',
      base: place.git('rev-parse', 'main').trim(),
      head: place.agent('git rev-parse HEAD').trim(),
      uncommitted: true,
      total_files: 4,
      insertions: 2,
      deletions: 0,
      notes: [],
      cursor: null,
      files: [
        { path: 'another.txt', old_path: 'other.txt', status: 'renamed', uncommitted: false },
        { path: 'file.txt', status: 'modified', mode: '100755', insertions: 1, uncommitted: true },
        { path: 'image.bin', status: 'added', binary: true, uncommitted: true },
        { path: 'new.txt', status: 'added', insertions: 1, uncommitted: true },
      ],
    });
  });

  it('is against the place where the work left the base, however far that went since', async () => {
    using place = await agentClone();
    place.agent('echo a > a.txt; git add .; git commit --quiet -m a');
    place.git('commit', '--quiet', '--allow-empty', '-m', 'on the base');
    writeFileSync(join(place.repository, 'base.txt'), 'base\n');
    place.git('add', '.');
    place.git('commit', '--quiet', '-m', 'base');
    expect(paths(await diffOf(place))).toEqual(['a.txt']);
    place.agent(`git fetch --quiet '${place.repository}' main; git merge --quiet --no-edit FETCH_HEAD`);
    expect(paths(await diffOf(place))).toEqual(['a.txt']);
  });

  it('is a patch that git apply takes, in pages of any size [OP-show_agent_diff-pages]', async () => {
    using place = await agentClone();
    place.agent(`seq 1 400 > many.txt; echo 'ä ö ü' > umlauts.txt; printf 'no end of line' > end.txt
      git add many.txt; git commit --quiet -m many; rm other.txt; rm file.txt; ln -s other.txt file.txt
      mkdir -p 'a dir'; echo x > 'a dir/a "file"'`);
    const whole = await patchOf(place, 1_000_000);
    expect(await patchOf(place, 1_000)).toBe(whole);
    execFileSync('git', ['-C', place.repository, 'apply'], { input: whole });
    expect(readFileSync(join(place.repository, 'many.txt'), 'utf8').split('\n')).toHaveLength(401);
    expect(existsSync(join(place.repository, 'other.txt'))).toBe(false);
    expect(readFileSync(join(place.repository, 'a dir', 'a "file"'), 'utf8')).toBe('x\n');
  });

  it('shows the same state on every page, whatever the agent does meanwhile', async () => {
    using place = await agentClone();
    place.agent('for i in $(seq 10 60); do echo $i > file-$i.txt; done');
    const first = await diffOf(place, { max_bytes: 1_000 });
    place.agent('rm file-*.txt; echo later > later.txt');
    const found = [...paths(first)];
    for (let { cursor } = first; cursor !== null;) {
      const page = await diffOf(place, { max_bytes: 1_000, cursor });
      found.push(...paths(page));
      expect(page.total_files).toBe(51);
      cursor = page.cursor;
    }
    expect(found).toHaveLength(51);
    expect(new Set(found).size).toBe(51);
  });

  it('is what one task changed, or what changed since a checkpoint [OP-show_agent_diff-task]', async () => {
    using place = await agentClone();
    place.agent('echo 1 > one.txt; git add .; git commit --quiet -m one');
    await checkpoint(place, 'first');
    place.agent('echo 2 > two.txt');
    await checkpoint(place, 'second');
    place.agent('echo 3 > three.txt');
    expect(paths(await diffOf(place, { task_id: 'first' }))).toEqual(['one.txt']);
    expect(paths(await diffOf(place, { task_id: 'second' }))).toEqual(['two.txt']);
    expect(paths(await diffOf(place, { task_id: 'third', running: 'third' }))).toEqual(['three.txt']);
    expect(paths(await diffOf(place, { since: 1 }))).toEqual(['three.txt', 'two.txt']);
    expect(paths(await diffOf(place, { since: 0 }))).toEqual(['one.txt', 'three.txt', 'two.txt']);
    await expect(diffOf(place, { task_id: 'unknown' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      details: { reason: 'no_checkpoint' },
    });
    await expect(diffOf(place, { since: 3 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('is of some files only, by their names', async () => {
    using place = await agentClone();
    place.agent(`mkdir d e; echo 1 > d/1; echo 2 > e/2; echo 3 > '*'; echo 4 > '[e]'`);
    expect(paths(await diffOf(place, { paths: ['d', '*'] }))).toEqual(['*', 'd/1']);
    expect(paths(await diffOf(place, { paths: ['[e]'] }))).toEqual(['[e]']);
    expect(paths(await diffOf(place, { paths: ['nowhere'] }))).toEqual([]);
    for (const path of ['../x', '/etc', 'd/../../x'])
      await expect(diffOf(place, { paths: [path] })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        details: { field: 'paths' },
      });
  });

  it('says when another branch is checked out, or none, and what is too large', async () => {
    using place = await agentClone();
    place.agent('git checkout --quiet -b mine; truncate --size 51M large.bin');
    const { notes } = await diffOf(place);
    expect(notes).toEqual([
      'The agent has the branch mine checked out, not fleet/sony.',
      'large.bin is not in the diff: it is too large.',
    ]);
    place.agent('git checkout --quiet --detach');
    expect((await diffOf(place)).notes[0]).toBe('The agent has no branch checked out, not fleet/sony.');
  });

  it('runs nothing that the agent has configured, and leaves nothing behind', async () => {
    using place = await agentClone();
    place.agent(`echo '* diff=evil filter=evil' > .gitattributes
      git config diff.evil.textconv 'touch ${place.root}/ran; cat'; git config diff.external 'touch ${place.root}/ran'
      git config filter.evil.clean 'touch ${place.root}/ran; cat'; git config diff.evil.command 'touch ${place.root}/ran'
      echo more >> file.txt`);
    const diff = await diffOf(place, { format: 'patch' });
    expect(paths(diff)).toEqual(['.gitattributes', 'file.txt']);
    expect(diff.files[0]).toMatchObject({ runs_elsewhere: true });
    expect(existsSync(join(place.root, 'ran'))).toBe(false);
    expect(readdirSync(place.work.paths.stage).filter((name) => name.startsWith('diff-'))).toEqual([]);
    expect(place.git('for-each-ref', '--format=%(refname)', 'refs/remotes')).toBe(
      'refs/remotes/fleet/sony\n',
    );
  });

  it('is refused while there is no workspace, and with a cursor of nothing', async () => {
    using place = await agentClone();
    place.agent('mv ../work ../away');
    await expect(diffOf(place)).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'no_workspace' },
    });
    const cursor = Buffer.from(
      JSON.stringify({
        branch: null,
        base: null,
        head: null,
        from_tree: '0'.repeat(40),
        to_tree: '1'.repeat(40),
        notes: [],
        file: 0,
        offset: 0,
      }),
    ).toString('base64url');
    await expect(diffOf(place, { cursor })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
