import { join } from 'node:path';

/** Where the parts of a prepared tree are. A check sees only the checkout and the temporary directories. */
export interface TreePaths {
  readonly directory: string;
  /** The checkout. */
  readonly work: string;
  /** Its git directory as it was before a check could write to it. */
  readonly git: string;
  readonly temporary: string;
  readonly longTemporary: string;
  readonly root: string;
  readonly scratch: string;
  /** Written when the tree is prepared. */
  readonly ready: string;
  /** Dated by the last use; has the marker of the processes of that one. */
  readonly used: string;
}

export function treePaths(directory: string): TreePaths {
  return {
    directory,
    work: join(directory, 'work'),
    git: join(directory, 'git'),
    temporary: join(directory, 'tmp'),
    longTemporary: join(directory, 'var-tmp'),
    root: join(directory, 'stage', 'root'),
    scratch: join(directory, 'stage', 'scratch'),
    ready: join(directory, 'prepared'),
    used: join(directory, 'used'),
  };
}
