import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRepository } from '../../../test/support/local-fleet.ts';
import { findProgram } from '../../platform/find-program.ts';
import { planWorktree, repositoryProblem } from './plan-worktree.ts';
import { projectIdOf, roleIdOf } from './project-ids.ts';

let directory: string;
let repository: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-plan-'));
  repository = makeRepository(join(directory, 'repository'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const plan = (change: object) =>
  planWorktree({
    repository,
    directory: join(directory, 'worktree'),
    agent_name: 'sony',
    base: undefined,
    branch: undefined,
    setup: null,
    copy: [],
    keep: [],
    ...change,
  });

describe('the plan of a worktree', () => {
  it('starts at HEAD on a branch of its own, unless it is told otherwise', async () => {
    const head = execFileSync('git', ['-C', repository, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
    expect(await plan({})).toMatchObject({
      base_commit: head,
      base_name: 'main',
      branch: 'fleet/sony',
      own_branch: true,
    });
    execFileSync('git', ['-C', repository, 'branch', 'there']);
    expect(await plan({ branch: 'there' })).toMatchObject({
      branch: 'there',
      own_branch: false,
      base_commit: head,
    });
  });

  it.each([
    ['an option', { base: '--output=x' }],
    ['a range', { base: 'main..main' }],
    ['a reflog', { base: 'main@{1}' }],
    ['a path in a commit', { base: 'main:README.md' }],
    ['a line break', { base: 'main\nx' }],
    ['a tree', { base: 'HEAD^{tree}' }],
    ['a remote branch as branch', { branch: 'origin/main' }],
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
