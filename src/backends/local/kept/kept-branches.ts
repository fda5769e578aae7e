import { git, gitText } from '../../git/git.ts';

/** A branch on which the work of a deleted agent was kept. */
export interface KeptBranch {
  readonly branch: string;
  readonly agent_name: string;
  readonly workspace_id: string;
  /** Which state of the work it is, such as `index`; empty for the main one. */
  readonly part: string;
  readonly repository: string;
  readonly commit: string;
  readonly subject: string;
  /** ISO 8601, UTC. */
  readonly kept_at: string;
}

const PREFIX = 'fleet-kept/';
const ID_LENGTH = 36;
const FORMAT = ['%(refname:lstrip=2)', '%(objectname)', '%(committerdate:unix)', '%(contents:subject)'];

/** The kept branches of a repository, newest first. */
export async function listKept(repository: string): Promise<readonly KeptBranch[]> {
  const refs = await gitText(repository, [
    'for-each-ref',
    `--format=${FORMAT.join('%00')}`,
    `refs/heads/${PREFIX}`,
  ]);
  const lines = refs.split('\n').filter((line) => line !== '');
  const kept = await Promise.all(lines.map((line) => keptBranch(repository, line.split('\0'))));
  return kept.toSorted((a, b) => b.kept_at.localeCompare(a.kept_at));
}

/** Deletes a kept branch; says why when git does not let it go, because a worktree has it. */
export async function deleteKept({ repository, branch }: KeptBranch): Promise<string | undefined> {
  const { ok, stderr } = await git(repository, ['branch', '--quiet', '-D', '--', branch]);
  return ok ? undefined : stderr.trim();
}

async function keptBranch(repository: string, fields: readonly string[]): Promise<KeptBranch> {
  const [branch = '', commit = '', committed = '', subject = ''] = fields;
  const seconds = Math.max(Number(committed), await movedAt(repository, branch));
  const [agent_name = '', place = ''] = branch.slice(PREFIX.length).split('/');
  return {
    branch,
    agent_name,
    workspace_id: place.slice(0, ID_LENGTH),
    part: place.slice(ID_LENGTH + 1),
    repository,
    commit,
    subject,
    kept_at: new Date(seconds * 1000).toISOString(),
  };
}

/** When the branch was made: a commit can be much older than the day on which its agent was deleted. */
async function movedAt(repository: string, branch: string): Promise<number> {
  const { stdout } = await git(repository, [
    'log',
    '--walk-reflogs',
    '--max-count=1',
    '--date=unix',
    '--format=%gd',
    `refs/heads/${branch}`,
    '--',
  ]);
  return Number(/@\{(\d+)\}\s*$/.exec(stdout)?.[1] ?? 0);
}
