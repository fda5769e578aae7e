import type { Loose } from './collect-work.ts';
import { commonDirectory, gitDirectoryEnvironment } from './find-worktree.ts';
import { git, gitProblem, type GitResult } from './git.ts';
import type { WorkOf } from './keep-work.ts';

type Run = (args: readonly string[], input?: string) => Promise<GitResult>;

/** Makes a branch for each state, all of them or none, and never moves one that is there. */
export async function publishKept(work: WorkOf, states: readonly Loose[]): Promise<readonly string[]> {
  if (states.length === 0) return [];
  const { plan, agent_name } = work;
  const common = await commonDirectory(plan.repository);
  const run: Run = (args, input = '') => git(common, args, { input, env: gitDirectoryEnvironment(common) });
  const wanted = namesOf(work, states);
  const made = await create(run, agent_name, wanted);
  if (made.ok) return [...wanted.keys()];
  // Whoever kept this before was cut off, or the agent took the names.
  const taken = await existing(run, work);
  const branches: string[] = [];
  const missing = new Map<string, string>();
  for (const [name, commit] of wanted) {
    const content = await contentOf(run, commit);
    const candidates = Array.from({ length: 100 }, (_, n) => (n === 0 ? name : `${name}-again-${n}`));
    const free = candidates.find((each) => !taken.has(each) || taken.get(each) === content);
    if (free === undefined)
      throw new Error(`too many branches begin with fleet-kept/${agent_name}: prune them`);
    branches.push(free);
    if (!taken.has(free)) missing.set(free, commit);
  }
  if (missing.size === 0) return branches;
  const again = await create(run, agent_name, missing);
  if (!again.ok) throw gitProblem(['update-ref'], again.stderr);
  return branches;
}

function namesOf({ agent_name, workspace_id }: WorkOf, states: readonly Loose[]): Map<string, string> {
  const main = `fleet-kept/${agent_name}/${workspace_id}`;
  const names = new Map<string, string>();
  for (const { what, commit } of states) {
    const name = names.size === 0 ? main : `${main}-${what}`;
    let free = name;
    for (let n = 2; names.has(free); n++) free = `${name}-${n}`;
    names.set(free, commit);
  }
  return names;
}

function create(run: Run, agent: string, branches: ReadonlyMap<string, string>): Promise<GitResult> {
  const lines = [...branches].map(([name, commit]) => `create refs/heads/${name} ${commit}\n`);
  return run(['update-ref', '-m', `work of agent ${agent}`, '--stdin'], lines.join(''));
}

const CONTENT = '%(tree) %(parent)';

async function existing(
  run: Run,
  { agent_name, workspace_id }: WorkOf,
): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await run([
    'for-each-ref',
    `--format=%(refname:lstrip=2)%00${CONTENT}`,
    `refs/heads/fleet-kept/${agent_name}/`,
  ]);
  const pairs = stdout.split('\n').map((line) => line.split('\0'));
  return new Map(
    pairs
      .map(([name = '', content = '']) => [name, content] as const)
      .filter(([name]) => name.includes(workspace_id)),
  );
}

/** As `existing` shows it: Fleet's commits differ in their times alone. */
async function contentOf(run: Run, commit: string): Promise<string> {
  const { stdout } = await run(['rev-list', '--no-walk', '--format=%T %P', commit]);
  return stdout.split('\n')[1] ?? '';
}
