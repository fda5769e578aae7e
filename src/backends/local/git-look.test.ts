import { describe, expect, it } from 'vitest';
import { agentWorktree } from '../../../test/support/agent-worktree.ts';
import { GitLook } from './git-look.ts';

describe('a look at the work of an agent', () => {
  it('is true again after each change, whatever was true of the commit before', async () => {
    using tree = agentWorktree();
    tree.git('remote', 'add', 'origin', 'https://user:secret@forge.example/owner/name.git');
    const look = new GitLook(tree.work.plan, tree.work.scratch);
    const clean = { ahead: 0, behind: 0, changed_files: 0, insertions: 0, deletions: 0, dirty: false };
    const first = await look.facts();
    expect(first).toMatchObject({ ...clean, branch: 'fleet/sony', base: 'main' });
    expect(first?.last_commit).toMatch(/ first$/);
    expect(JSON.stringify(first?.remote)).not.toContain('secret');

    tree.agent('echo more >> file.txt');
    const modified = { changed_files: 1, insertions: 1, deletions: 0, dirty: true };
    expect(await look.facts()).toMatchObject({ ...modified, ahead: 0 });
    tree.agent('echo new > new.txt');
    expect(await look.facts()).toMatchObject({ ...modified, changed_files: 2 });

    tree.agent('git checkout -q file.txt; rm new.txt');
    expect(await look.facts()).toEqual(first);

    tree.agent('echo more >> file.txt; git commit -qam second');
    const committed = await look.facts();
    expect(committed).toMatchObject({ ...modified, dirty: false, ahead: 1 });
    expect(committed?.last_commit).toMatch(/ second$/);
    tree.agent('git rm -q other.txt');
    expect(await look.facts()).toMatchObject({ changed_files: 2, insertions: 1, deletions: 1, dirty: true });

    tree.git('commit', '--quiet', '--allow-empty', '-m', 'meanwhile');
    expect(await look.facts()).toMatchObject({ ahead: 1, behind: 1 });
  });
});
