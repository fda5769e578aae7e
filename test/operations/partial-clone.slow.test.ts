import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { askAs, idleAgent, waitIdle } from '../support/fleets/fleet-under-test.ts';
import { localFleet } from '../support/fleets/local-fleet.ts';

const COMMIT = 'git -c user.name=A -c user.email=a@localhost commit --quiet -m';

it('an agent of a partial clone with a sparse checkout works, is deleted and restored, and goes on', async () => {
  await using place = localFleet();
  const ask = askAs(place.fleet);
  const repository = join(place.directory, 'partial');
  const sh = (directory: string, script: string): string =>
    execFileSync('sh', ['-ec', script], { cwd: directory, encoding: 'utf8', stdio: 'pipe' });
  sh(
    place.repository,
    `mkdir here there; echo h > here/file; echo t > there/file; git add .; ${COMMIT} more
     git config uploadpack.allowFilter true; git config uploadpack.allowAnySHA1InWant true
     git clone --quiet --filter=blob:none --sparse "file://$PWD" "${repository}"
     git -C "${repository}" sparse-checkout set here`,
  );
  place.configure(({ projects }) => {
    projects['Partial'] = { repository, default_role: 'shell' };
  });
  const work = `echo a > here/a; git add .; ${COMMIT} a; git show HEAD:there/file > loose`;
  const { workspace_id } = await idleAgent(ask, 'sony', { project: 'Partial', role: 'shell', task: work });
  expect(sh(repository, 'git log -1 --format=%s fleet/sony; ls')).toBe('a\nREADME.md\nhere\n');
  expect(sh(repository, 'git rev-list --objects --missing=print main')).toContain('?');

  await ask('delete_agent', { agent_name: 'sony' });
  expect(sh(repository, `git show fleet-kept/sony/${workspace_id}:loose`)).toBe('t\n');
  await ask('restore_agent', { workspace_id });
  expect(sh(repository, 'git log -1 --format=%s fleet/sony; git branch --list "fleet-kept/*"')).toBe('a\n');
  await ask('restart_agent', { agent_name: 'sony' });
  await waitIdle(ask, 'sony');
  await ask('start_agent_task', { agent_name: 'sony', task_description: `git add .; ${COMMIT} b` });
  await waitIdle(ask, 'sony');
  expect(sh(repository, 'git log -2 --format=%s fleet/sony; git show fleet/sony:loose')).toBe('b\na\nt\n');
});
