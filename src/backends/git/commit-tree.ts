import { gitText } from './git.ts';

export const FLEET_IDENTITY = {
  GIT_AUTHOR_NAME: 'Fleet',
  GIT_AUTHOR_EMAIL: 'fleet@localhost',
  GIT_COMMITTER_NAME: 'Fleet',
  GIT_COMMITTER_EMAIL: 'fleet@localhost',
};

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  /** Who has made it, and when, as variables of git; by default it is Fleet's own. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Makes a commit. */
export function commitTree(repository: string, { tree, parents, message, env }: NewCommit): Promise<string> {
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
  return gitText(repository, args, { input: `${message}\n`, env: { ...FLEET_IDENTITY, ...env } });
}
