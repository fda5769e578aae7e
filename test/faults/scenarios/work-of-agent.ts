import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { git } from '../../seeds/on-this-machine.ts';
import { agentsOf, until } from '../../support/fleets/fleet-under-test.ts';
import type { Stage } from '../stage.ts';
import { bringIdle, NAME } from './bring.ts';

/** The commits of the agent of a scenario, by the subject of each. */
export function commitSteps(...subjects: readonly string[]): string[] {
  return subjects.flatMap((subject) => [
    `echo ${subject} > ${subject}.txt`,
    `git add ${subject}.txt`,
    `git -c user.name=Ada -c user.email=ada@localhost commit --quiet -m ${subject}`,
  ]);
}

/** An idle agent with commits that the project's repository shows. */
export async function bringCommitted(stage: Stage, ...subjects: readonly string[]): Promise<void> {
  await bringIdle(stage, { steps: commitSteps(...subjects) });
  await until(
    async () => subjectsOf(stage, `refs/remotes/fleet/${NAME}`),
    (shown) => subjects.every((subject) => shown.includes(subject)),
  );
}

/** A commit of the user on the branch that is checked out. */
export function userCommits({ repository }: Stage, file: string): void {
  writeFileSync(join(repository, file), 'by the user\n');
  git(repository, 'add', file);
  git(repository, '-c', 'user.name=U', '-c', 'user.email=u@localhost', 'commit', '--quiet', '-m', file);
}

export function subjectsOf({ repository }: Stage, ref: string): string[] {
  try {
    return git(repository, 'log', '--format=%s', ref).split('\n');
  } catch {
    return [];
  }
}

/** Each of these commits must be part of a branch once. */
export function expectOnce(stage: Stage, ref: string, subjects: readonly string[]): string[] {
  const found = subjectsOf(stage, ref);
  return subjects.flatMap((subject) => {
    const count = found.filter((each) => each === subject).length;
    return count === 1 ? [] : [`${subject} is on ${ref} ${count} times: ${found.join(', ')}`];
  });
}

/** The checkout of the user is on its branch, as its commit says. */
export function checkoutProblems({ repository }: Stage): string[] {
  const status = git(repository, 'status', '--porcelain', '--ignored');
  const branch = git(repository, 'symbolic-ref', 'HEAD');
  return [
    ...(status === '' ? [] : [`the checkout is not clean: ${status}`]),
    ...(branch === 'refs/heads/main' ? [] : [`the checkout is on ${branch}`]),
  ];
}

/** What a merge leaves beside its result. */
export function mergeLeftovers(stage: Stage): string[] {
  const { home, repository } = stage;
  const repositories = join(home, 'repositories');
  const own = existsSync(repositories)
    ? readdirSync(repositories).map((name) => join(repositories, name))
    : [];
  return [repository, ...own].flatMap((each) =>
    git(each, 'for-each-ref', '--format=%(refname)', 'refs/fleet/landings')
      .split('\n')
      .filter((ref) => ref !== '')
      .map((ref) => `${ref} is left`),
  );
}

/** Subscribers hear of each landing once. */
export function expectLandedEvents({ home }: Stage, count: number): string[] {
  const database = new DatabaseSync(join(home, 'store.db'), { timeout: 10_000 });
  try {
    const told = database.prepare(`SELECT * FROM events WHERE kind = 'landed'`).all().length;
    return told === count ? [] : [`the landing was told ${told} times`];
  } finally {
    database.close();
  }
}

export async function expectAgents(stage: Stage, names: readonly string[]): Promise<string[]> {
  const found = (await agentsOf(stage.ask)).map(({ name }) => name).toSorted();
  return found.join() === names.toSorted().join() ? [] : [`the agents are ${found.join(', ')}`];
}
