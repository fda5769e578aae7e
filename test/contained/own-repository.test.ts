import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../support/fleets/fleet-under-test.ts';
import { asUser, ContainedFleet, LEVELS, why } from './level.ts';

/** What an agent does to have its programs run by others, with the program in $TRAP and the project's repository in
 *  $THEIRS. */
const PLANT = `
plant() { "$@" 2> /dev/null && echo "planted in the project's repository: $*"; }
for hook in post-commit pre-commit post-checkout reference-transaction; do plant cp "$TRAP" "$THEIRS/.git/hooks/$hook"; done
plant git -C "$THEIRS" config includeIf.onbranch:fleet/**.path "$PWD/more"
plant git -C "$THEIRS" config includeIf.gitdir:**/worktrees/**.path "$PWD/more"
plant git -C "$THEIRS" config core.fsmonitor "$TRAP"
plant sh -c 'echo "* filter=z" > "$THEIRS/.git/info/attributes"'
plant sh -c 'mv "$THEIRS/.git/worktrees" "$THEIRS/.git/old"; ln -s / "$THEIRS/.git/worktrees"'
plant sh -c 'rm "$THEIRS/.git/index" && mkfifo "$THEIRS/.git/index"'
plant sh -c ': > "$THEIRS/.git/objects/planted"'
plant git -C "$THEIRS" update-ref refs/heads/planted HEAD
plant sh -c 'for file in $(find "$THEIRS/.git/objects" -type f | head -n 1); do chmod u+w "$file" && echo x > "$file"; done'
git config --file more filter.z.smudge "$TRAP"
git config --file more filter.z.clean "$TRAP"
git config --file more core.fsmonitor "$TRAP"
git config include.path "$PWD/more"
git config core.hooksPath "$PWD"
echo '* filter=z' > .git/info/attributes
echo more >> README.md
echo done
`;

describe.each(LEVELS.filter(({ sealed }) => sealed))('the repository of an agent $name', (level) => {
  it.skipIf(level.skip !== undefined)(
    `is its own: nothing that it plants is run outside, and the project's stays as it is${why(level)}`,
    async () => {
      await using fleet = new ContainedFleet(level);
      const theirs = join(fleet.directory, 'setup');
      const before = listing(fleet, theirs);
      const mark = join(fleet.directory, 'ran');
      const trap = `TRAP="$PWD/trap"; THEIRS='${theirs}'; export TRAP THEIRS
        printf '#!/bin/sh\\ntouch ${mark}\\ncat\\n' > trap; chmod +x trap`;
      const workspace = fleet.create('planter', 'shell', `${trap}\n${PLANT}`);
      expect(fleet.lines('planter')).toEqual(['done']);
      fleet.fleet('show', 'planter');
      fleet.create('next', 'shell', 'git log --oneline; git status --short');
      const commit = git(fleet, '-C', theirs, 'commit', '--quiet', '--allow-empty', '-m', 'mine');
      expect(commit).toEqual({ status: 0, said: '' });
      expect(git(fleet, '-C', theirs, 'status', '--short')).toEqual({ status: 0, said: '' });
      expect(fleet.call('delete_agent', { agent_name: 'planter' })).toMatchObject({
        kept: `fleet-kept/planter/${workspace}`,
      });
      expect(existsSync(mark)).toBe(false);
      expect(git(fleet, '-C', theirs, 'show', `fleet-kept/planter/${workspace}:README.md`).said).toContain(
        'more',
      );
      for (const [path, content] of before)
        expect([path, content]).toEqual([path, readFileSync(path, 'utf8')]);
    },
  );

  it.skipIf(level.skip !== undefined)(
    `is checked out through the project's filters, in the sandbox${why(level)}`,
    async () => {
      await using fleet = new ContainedFleet(level);
      const theirs = join(fleet.directory, 'setup');
      const smudge = `sed 's/^/filtered: /'; ls '${fleet.home}' | sed 's/^/seen: /'`;
      git(fleet, '-C', theirs, 'config', 'filter.project.smudge', smudge);
      git(fleet, '-C', theirs, 'config', 'filter.project.clean', "sed -n 's/^filtered: //p'");
      git(fleet, '-C', theirs, 'config', 'core.attributesFile', join(fleet.userHome, 'attributes'));
      writeFileSync(join(fleet.userHome, 'attributes'), 'README.md filter=project\n');
      fleet.create('reader', 'shell', 'cat README.md');
      const lines = fleet.lines('reader');
      expect(lines[0]).toMatch(/^filtered: /);
      expect(lines).toContain('seen: agents');
      expect(lines).not.toContain('seen: store.db');
    },
  );

  it.skipIf(level.skip !== undefined)(
    `has work that is refused, and the log says why${why(level)}`,
    async () => {
      await using fleet = new ContainedFleet(level);
      fleet.create(
        'linker',
        'shell',
        'ln -s /etc/passwd .gitattributes; git add .; git -c user.name=A -c user.email=a@localhost commit --quiet -m planted',
      );
      await until(
        async () => JSON.stringify(fleet.call('show_agent_log', { agent_name: 'linker', page_size: 20 })),
        (log) => log.includes('the commits of agent linker were not taken over'),
      );
      const theirs = join(fleet.directory, 'setup');
      expect(git(fleet, '-C', theirs, 'log', '--format=%s', 'fleet/linker').said).toBe('first');
    },
  );

  it.skipIf(level.skip !== undefined)(
    `is copied through no link that it committed${why(level)}`,
    async () => {
      await using fleet = new ContainedFleet(level);
      const outside = join(fleet.userHome, 'outside');
      const secrets = join(fleet.directory, 'setup', 'conf');
      for (const directory of [outside, secrets]) mkdirSync(directory);
      writeFileSync(join(secrets, '.env'), 'SECRET=1\n');
      for (const path of [outside, secrets]) fleet.give(path);
      const commits = 'git -c user.name=A -c user.email=a@localhost commit --quiet -m linked';
      fleet.create('linker', 'shell', `ln -s '${outside}' conf && git add conf && ${commits}`);
      fleet.fleet('show', 'linker');
      fleet.call('create_agent', {
        project: 'Copying',
        name: 'next',
        branch: 'fleet/linker',
        task: 'readlink conf; echo >> README.md',
      });
      fleet.idle('next');
      expect(fleet.lines('next')).toEqual([outside]);
      expect(readdirSync(outside)).toEqual([]);
    },
  );

  it.skipIf(level.skip !== undefined)(
    `keeps nobody waiting, whatever it is made of${why(level)}`,
    async () => {
      await using fleet = new ContainedFleet(level);
      const blocks = 'rm -f .git/index; mkfifo .git/index more; git config include.path "$PWD/more"';
      const workspace = fleet.create('blocker', 'shell', blocks);
      fleet.fleet('show', 'blocker');
      fleet.create('next', 'shell', 'true');
      const { message } = fleet.call('delete_agent', { agent_name: 'blocker' });
      expect(message).toContain('its work is in the archive');
      expect(existsSync(join(fleet.home, 'archive', workspace, 'work', 'README.md'))).toBe(true);
    },
    120_000,
  );
});

function git(
  fleet: ContainedFleet,
  ...args: string[]
): { readonly status: number | null; readonly said: string } {
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@localhost'];
  const [file = '', ...words] = [...asUser(fleet.level.uid), 'git', ...identity, ...args];
  const { status, stdout, stderr } = spawnSync(file, words, {
    env: fleet.env,
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { status, said: `${stdout}${stderr}`.trim() };
}

/** Files of the project's git directory that say what is run. */
function listing(fleet: ContainedFleet, repository: string): readonly (readonly [string, string])[] {
  const [file, ...words] = [...asUser(fleet.level.uid), 'find', join(repository, '.git'), '-type', 'f'];
  const { stdout } = spawnSync(file, words, { encoding: 'utf8' });
  return stdout
    .split('\n')
    .filter((path) => /\/(config|hooks\/.*|info\/.*)$/.test(path))
    .map((path) => [path, readFileSync(path, 'utf8')] as const);
}
