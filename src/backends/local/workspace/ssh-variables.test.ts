import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeRepository } from '../../../../test/support/fleets/local-fleet.ts';
import { git } from '../../git/git.ts';
import { sshVariables } from './ssh-variables.ts';

it('shares no connection, unless the user has said how ssh is started', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-ssh-'));
  try {
    const repository = makeRepository(join(directory, 'setup'));
    const plan = { repository } as Parameters<typeof sshVariables>[0];
    expect(await sshVariables(plan)).toEqual({
      GIT_SSH_COMMAND: expect.stringContaining('ControlMaster=no'),
    });
    await git(repository, ['config', '--local', 'core.sshCommand', 'ssh -i some-key']);
    expect(await sshVariables(plan)).toEqual({});
  } finally {
    rmSync(directory, { recursive: true });
  }
});
