import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentsOf, failure, type Answer } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';

const it = fleetTest(() =>
  localFleet((config) => {
    config.roles['missing'] = { agent: 'command', command: ['no-such-program-anywhere', '--now'] };
    config.roles['missing-file'] = { agent: 'command', command: ['./scripts/not-in-the-repository.sh'] };
    config.projects['Broken'] = { repository: '/nowhere/at/all', default_role: 'scripted' };
  }),
);

const BAD: Readonly<Record<string, Answer>> = {
  'an empty task': { task: '' },
  'a blank task': { task: ' \n\t ' },
  'a task over the limit': { task: 'x'.repeat(65_537) },
  'a task with NUL': { task: 'a\0b' },
  'a name with a blank': { name: 'no good' },
  'a name with two hyphens': { name: 'no--good' },
  'a name over 32 characters': { name: 'x'.repeat(33) },
  'a reserved name': { name: 'create' },
  'an empty spec': { spec: '  ' },
  'a malformed spec': { spec: 'objective: [unclosed' },
  'a base that is not there': { base: 'no-such-branch' },
  'a base that is an option': { base: '--upload-pack=touch x' },
  'a branch that is not there': { branch: 'no-such-branch' },
  'a branch that is a path': { branch: '../../etc' },
  'a pull request that is no address': { pull_request_url: 'javascript:alert(1)' },
  'a repository that is not there': { project: 'Broken' },
  'an input that does not exist': { nmae: 'sony' },
  'a value that is no text': { task: 5 },
};

describe('a create_agent that is refused', () => {
  it('leaves no agent, worktree, branch or file behind, whatever was wrong [ST-nothing-left-behind]', async ({
    fleet,
    ask,
  }) => {
    const before = traces(fleet);
    for (const [what, input] of Object.entries(BAD)) {
      const error = await failure(ask('create_agent', { project: 'Setup', task: 'hello', ...input }));
      expect([what, error.code]).toEqual([what, 'INVALID_INPUT']);
      expect([what, traces(fleet)]).toEqual([what, before]);
    }
    for (const input of [{ project: 'Nowhere' }, { role: 'nobody' }]) {
      const error = await failure(ask('create_agent', { project: 'Setup', task: 'hello', ...input }));
      expect(error.code).toBe('NOT_FOUND');
    }
    expect(traces(fleet)).toEqual(before);
    expect(await agentsOf(ask)).toEqual([]);
  });

  it('is SERVICE_UNAVAILABLE for a program that is not there and leaves nothing behind [ST-agent-not-installed]', async ({
    fleet,
    ask,
  }) => {
    const before = traces(fleet);
    for (const [role, program] of [
      ['missing', 'no-such-program-anywhere'],
      ['missing-file', './scripts/not-in-the-repository.sh'],
      ['coder', 'claude'],
    ] as const) {
      const error = await failure(ask('create_agent', { project: 'Setup', task: 'hello', role }));
      expect(error.code).toBe('SERVICE_UNAVAILABLE');
      expect(error.details.reason).toBe('agent_not_installed');
      expect(error.message).toContain(program);
    }
    expect(traces(fleet)).toEqual(before);
    expect(await agentsOf(ask)).toEqual([]);
  });

  it('has made nothing that a good one trips over', async ({ ask }) => {
    const { agent } = await ask('create_agent', { project: 'Setup', task: 'hello', name: 'sony' });
    expect(agent).toMatchObject({ name: 'sony' });
  });
});

/** Every file of the fleet's home and every ref and worktree of the repository. */
function traces(fleet: LocalFleet): readonly string[] {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', fleet.repository, ...args], { encoding: 'utf8' });
  return [
    ...readdirSync(fleet.directory, { recursive: true, encoding: 'utf8' })
      .filter((path) => !path.includes('.git') && !/store\.db-(wal|shm)$/.test(path))
      .toSorted(),
    git('for-each-ref'),
    git('worktree', 'list'),
  ];
}
