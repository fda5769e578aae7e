import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRepository } from '../../../../test/support/fleets/local-fleet.ts';
import { findProgram } from '../../../platform/processes/find-program.ts';
import { planWorkspace, repositoryProblem } from './plan-workspace.ts';
import { projectIdOf, roleIdOf } from '../records/project-ids.ts';

let directory: string;
let repository: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-plan-'));
  repository = makeRepository(join(directory, 'repository'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const plan = (change: object) =>
  planWorkspace({
    repository,
    directory: join(directory, 'workspace'),
    agent_name: 'sony',
    workspace_id: '3f2a9c1e-0000-4000-8000-000000000000',
    base: undefined,
    branch: undefined,
    pull_request_url: undefined,
    setup: null,
    copy: [],
    remote_name: 'fleet',
    ...change,
  });

describe('the plan of a workspace', () => {
  it('starts at HEAD on a branch of its own, unless the request says otherwise', async () => {
    const head = execFileSync('git', ['-C', repository, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
    const git = (...args: string[]): void => void execFileSync('git', ['-C', repository, ...args]);
    expect(await plan({})).toMatchObject({
      base_commit: head,
      base_name: 'main',
      branch: 'fleet/sony',
      clone: { start_commit: head, started_from: null, published_as: 'refs/remotes/fleet/sony' },
    });
    git('branch', 'there');
    git('update-ref', 'refs/remotes/origin/theirs', 'HEAD');
    git('update-ref', 'refs/remotes/origin/there', 'HEAD');
    for (const [branch, started_from] of [
      ['there', 'refs/heads/there'],
      ['theirs', 'refs/remotes/origin/theirs'],
      ['origin/theirs', 'refs/remotes/origin/theirs'],
    ])
      expect(await plan({ branch })).toMatchObject({
        branch: 'fleet/sony',
        base_commit: head,
        clone: { start_commit: head, started_from },
      });
  });

  it('refuses a remote of the name under which agents are shown, and one that mirrors all', async () => {
    const theirs = makeRepository(join(directory, 'with-remotes'));
    const config = (...args: string[]): void => void execFileSync('git', ['-C', theirs, 'config', ...args]);
    config('remote.fleet.url', 'https://forge.example/fleet.git');
    const refused = { code: 'INVALID_INPUT', details: { reason: 'remote_name_taken' } };
    await expect(plan({ repository: theirs })).rejects.toMatchObject(refused);
    expect(await plan({ repository: theirs, remote_name: 'agents' })).toMatchObject({
      clone: { published_as: 'refs/remotes/agents/sony' },
    });
    config('remote.origin.fetch', '+refs/*:refs/*');
    await expect(plan({ repository: theirs, remote_name: 'agents' })).rejects.toMatchObject({
      ...refused,
      details: { reason: 'mirrors_remote' },
    });
  });

  it.each([
    ['an option', { base: '--output=x' }],
    ['a range', { base: 'main..main' }],
    ['a reflog', { base: 'main@{1}' }],
    ['a path in a commit', { base: 'main:README.md' }],
    ['a line break', { base: 'main\nx' }],
    ['a tree', { base: 'HEAD^{tree}' }],
    ['a branch that nobody has', { branch: 'origin/main' }],
    ['a commit as branch', { branch: 'HEAD' }],
    ['an option as branch', { branch: '-b' }],
    ['a file outside to copy', { copy: ['../secret'] }],
    ['a file of the machine to copy', { copy: ['/etc/passwd'] }],
    ['the repository itself to copy', { copy: ['.git/config'] }],
    ['a way round to copy', { copy: ['a/../../secret'] }],
  ])('refuses %s', async (_, change) => {
    await expect(plan(change)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it.skipIf(process.getuid?.() !== 0)(
    'says when a repository belongs to another user (needs root to give it away)',
    async () => {
      const theirs = makeRepository(join(directory, 'theirs'));
      execFileSync('chown', ['-R', '65534:65534', theirs]);
      expect(await repositoryProblem(theirs)).toContain('safe.directory');
    },
  );

  it('says what is wrong with a repository', async () => {
    const place = (name: string): string => join(directory, name);
    mkdirSync(place('plain'));
    writeFileSync(place('file'), '');
    execFileSync('git', ['init', '--quiet', '--bare', place('bare')]);
    execFileSync('git', ['init', '--quiet', place('empty')]);
    expect(await repositoryProblem(place('nowhere'))).toContain('does not exist');
    expect(await repositoryProblem(place('file'))).toContain('not a directory');
    expect(await repositoryProblem(place('plain'))).toContain('not a git repository');
    expect(await repositoryProblem(place('bare'))).toContain('bare');
    expect(await repositoryProblem(place('empty'))).toContain('no commit');
    expect(await repositoryProblem(repository)).toBeUndefined();
  });
});

describe('a program', () => {
  it('is found on the path as a shell does, and only when it can be run', () => {
    const first = join(directory, 'first');
    const second = join(directory, 'second');
    for (const each of [first, second]) mkdirSync(each);
    for (const [file, mode] of [
      [join(first, 'tool'), 0o644],
      [join(second, 'tool'), 0o755],
    ] as const) {
      writeFileSync(file, '#!/bin/sh\n');
      chmodSync(file, mode);
    }
    mkdirSync(join(first, 'folder'));
    const path = `${first}::relative:${second}`;
    expect(findProgram('tool', path)).toBe(join(second, 'tool'));
    expect(findProgram('folder', path)).toBeUndefined();
    expect(findProgram('nothing', path)).toBeUndefined();
    expect(findProgram('tool', undefined)).toBeUndefined();
    expect(findProgram(join(second, 'tool'), '')).toBe(join(second, 'tool'));
    expect(findProgram(join(first, 'tool'), '')).toBeUndefined();
  });
});

describe('the ids of projects and roles', () => {
  it('are made from their names alone, in any spelling, and are apart', () => {
    expect(projectIdOf('Setup')).toBe(projectIdOf('setup'));
    expect(projectIdOf('Setup')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    const ids = [
      projectIdOf('a'),
      projectIdOf('b'),
      roleIdOf('a', 'b'),
      roleIdOf('b', 'a'),
      roleIdOf('ab', ''),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
