import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { agentClone } from '../../../../test/support/installs/agent-clone.ts';

describe('the repository of an agent', () => {
  it('borrows the objects of the project and has none of its own', async () => {
    using place = await agentClone();
    expect(place.agent('git count-objects')).toBe('0 objects, 0 kilobytes\n');
    expect(place.agent('git log --format=%s')).toBe('first\n');
    expect(place.agent('git status --short')).toBe('');
    expect(place.git('rev-parse', 'fleet/sony')).toBe(place.git('rev-parse', 'main'));
  });

  it('outlives branches that the user deletes, and git gc', async () => {
    using place = await agentClone({
      before: `git checkout --quiet -b feature; echo f > f.txt; git add .; git commit --quiet -m feature
        git checkout --quiet main; git tag gone; git tag -a -m annotated annotated`,
      branch: 'feature',
    });
    place.agent('echo a > a.txt; git add .; git commit --quiet -m a');
    place.git('branch', '-D', 'feature');
    place.git('tag', '-d', 'gone', 'annotated');
    place.git('reflog', 'expire', '--expire=now', '--all');
    place.git('gc', '--quiet', '--prune=now');
    expect(place.agent('git fsck --strict --no-dangling 2>&1')).toBe('');
    expect(place.agent('git log --format=%s')).toBe('a\nfeature\nfirst\n');
    expect(place.agent('git describe --tags')).toMatch(/^(annotated|gone)-2-g/);
  });

  it('has what is in effect in the project: identity, addresses, hooks, rules and line endings', async () => {
    using place = await agentClone({
      before: `git config --file "$HOME/work" user.email me@work.example; git config --file "$HOME/work" user.name Me
        git config --global "includeIf.gitdir:$PWD/.path" "$HOME/work"; git config --global commit.gpgSign true
        git config core.autocrlf input; git config alias.mine status; git config core.fsmonitor true
        git remote add origin ../somewhere; git config branch.main.remote origin
        printf '#!/bin/sh\\necho checked >> .git/hook-ran\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
        echo '*.local' >> .git/info/exclude; echo '*.bin binary' > .git/info/attributes
        mkdir -p "$HOME/.config/git"; echo .idea > "$HOME/.config/git/ignore"`,
    });
    const get = (key: string): string => place.agent(`git config ${key} || true`).trim();
    expect(get('user.email')).toBe('me@work.example');
    expect(get('remote.origin.url')).toBe(join(place.root, 'somewhere'));
    expect(get('core.autocrlf')).toBe('input');
    expect(get('alias.mine')).toBe('status');
    expect(get('commit.gpgSign')).toBe('false');
    for (const key of ['core.fsmonitor', 'branch.main.remote']) expect(get(key)).toBe('');
    place.agent('echo a > a.txt; touch x.local .idea; git add a.txt; git commit --quiet -m a');
    expect(readFileSync(join(place.directory, '.git', 'hook-ran'), 'utf8')).toBe('checked\n');
    expect(place.agent('git status --short')).toBe('');
    expect(place.agent('git check-attr binary x.bin')).toContain('set');
  });

  it('has the files of a sparse checkout, and no others', async () => {
    using place = await agentClone({
      before: `mkdir a b; echo a > a/a; echo b > b/b; git add .; git commit --quiet -m more
        git sparse-checkout set --cone a`,
    });
    expect(existsSync(join(place.directory, 'a', 'a'))).toBe(true);
    expect(existsSync(join(place.directory, 'b'))).toBe(false);
    expect(place.agent('git status --short')).toBe('');
  });

  it('is a copy of a shallow one', async () => {
    using origin = await agentClone({
      before: 'for n in 1 2 3; do git commit --quiet --allow-empty -m $n; done',
    });
    using place = await agentClone({
      before: `git fetch --quiet --depth 2 "file://${origin.repository}" main; git reset --quiet --hard FETCH_HEAD
        git reflog expire --expire=now --all; git gc --quiet --prune=now`,
    });
    expect(place.git('rev-parse', '--is-shallow-repository')).toBe('true\n');
    expect(existsSync(join(place.directory, '.git', 'objects', 'info', 'alternates'))).toBe(false);
    expect(place.agent('git log --format=%s; git fsck --no-dangling 2>&1')).toBe('3\n2\n');
    place.agent('echo a > a.txt; git add .; git commit --quiet -m a');
    await place.reader.takeOver(await place.reader.look());
    expect(place.git('log', '--format=%s', 'fleet/sony')).toBe('a\n3\n2\n');
  });

  it('has the other hash when the project has it', async () => {
    using place = await agentClone({ format: 'sha256' });
    place.agent('echo a > a.txt; git add .; git commit --quiet -m a; echo n > n.txt');
    const look = await place.reader.look();
    await place.reader.takeOver(look);
    await place.reader.checkpoint('a task', look);
    expect(place.git('rev-parse', 'fleet/sony').trim()).toHaveLength(64);
    expect(await place.delete()).toMatchObject({ branches: [place.kept] });
  });

  it('is of a project that is a worktree of another repository', async () => {
    using place = await agentClone({
      before: 'git worktree add --quiet -b side ../side; echo s > ../side/s.txt',
    });
    const side = join(place.root, 'side');
    execFileSync('git', ['-C', side, 'add', '.']);
    expect(place.agent('git log --format=%s')).toBe('first\n');
    rmSync(side, { recursive: true });
    expect(place.agent('git log --format=%s')).toBe('first\n');
  });

  it('goes on from the head of a pull request of one of its remotes', async () => {
    using origin = await agentClone({
      before: `git checkout --quiet --detach; echo p > p.txt; git add .; git commit --quiet -m proposed
        git update-ref refs/pull/7/head HEAD; git checkout --quiet main`,
    });
    const before = `git remote add origin https://forge.example/team/setup.git
      git config "url.${origin.repository}.insteadOf" https://forge.example/team/setup.git`;
    using place = await agentClone({
      before,
      pull_request_url: 'https://forge.example/team/setup/pull/7/files',
    });
    expect(place.agent('git log --format=%s')).toBe('proposed\nfirst\n');
    expect(place.work.plan).toMatchObject({
      base_name: 'main',
      base_commit: place.git('rev-parse', 'main').trim(),
    });
    expect(place.git('for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/pull')).toBe(
      'refs/heads/main\n',
    );
    using other = await agentClone({ before, pull_request_url: 'https://forge.example/team/other/pull/7' });
    expect(other.agent('git log --format=%s')).toBe('first\n');
    await expect(
      agentClone({ before, pull_request_url: 'https://forge.example/team/setup/pull/8' }),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT', details: { field: 'pull_request_url' } });
  });

  it('takes no variable of the creating process for a setting', async () => {
    vi.stubEnv('GIT_DIR', '/nowhere');
    vi.stubEnv('GIT_INDEX_FILE', '/nowhere');
    try {
      using place = await agentClone();
      expect(place.agent('git log --format=%s')).toBe('first\n');
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
