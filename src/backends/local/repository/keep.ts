import { existsSync } from 'node:fs';
import type { Launch } from '../../../domain/launch.ts';
import { git, gitText } from '../../git/git.ts';
import type { WorkspacePlan } from '../records/workspace-plan.ts';
import { commitTree } from '../../git/commit-tree.ts';
import type { AgentRepository } from './agent-repository.ts';
import { bringRef } from './bring-ref.ts';
import { refAt } from './take-over.ts';

export interface Keeping {
  readonly agent_name: string;
  readonly workspace_id: string;
  readonly plan: WorkspacePlan;
  readonly lender: string;
}

/** Finds the commits and files of an agent that are nowhere else; false when there are none. A deletion
 *  that was interrupted has found them already. */
export async function findWork(repository: AgentRepository, keeping: Keeping): Promise<boolean> {
  const { agent_name, plan } = keeping;
  const { arrived } = repository;
  if ((await refAt(arrived.repository, arrived.kept)) !== null) return true;
  const state = existsSync(plan.directory)
    ? await stateNow(repository, agent_name)
    : await stateBefore(repository, plan);
  const commit = await onlyHere(repository, state, keeping);
  if (commit !== undefined) await gitText(arrived.repository, ['update-ref', arrived.kept, commit]);
  return commit !== undefined;
}

/** Puts what was found on a branch of the project's repository, and answers with its name. */
export async function keepOnBranch({ arrived }: AgentRepository, keeping: Keeping): Promise<string> {
  const { agent_name: name, workspace_id, lender } = keeping;
  const branch = keptBranch({ name, workspace_id });
  await bringRef(arrived.repository, lender, { from: arrived.kept, to: `refs/heads/${branch}`, fresh: true });
  return branch;
}

/** The branch of the project's repository on which the work of an agent is kept. */
export function keptBranch({ name, workspace_id }: Pick<Launch, 'name' | 'workspace_id'>): string {
  return `fleet-kept/${name}/${workspace_id}`;
}

/** All of it is in Fleet's repository. */
interface State {
  readonly head: string | undefined;
  readonly tips: readonly string[];
  /** What is elsewhere, as the agent says. It can only hide its own work, which is in the archive as well. */
  readonly pushed: readonly string[];
  /** What is in the files, when that is not what is in the commit. */
  readonly files: string | undefined;
}

async function stateNow(repository: AgentRepository, agentName: string): Promise<State> {
  const look = await repository.look();
  await repository.takeOver(look);
  const { head, status } = look;
  const tips = [...new Set(look.tips.map(({ commit }) => commit))];
  const known = { head, tips, pushed: look.remotes };
  if (status === '') return { ...known, files: undefined };
  const { commit } = await repository.checkpoint(`Last checkpoint of agent ${agentName}`, look);
  return { ...known, files: `${commit}^{tree}` };
}

/** For a workspace that is gone: as it was at the end of the last task. */
async function stateBefore({ arrived }: AgentRepository, plan: WorkspacePlan): Promise<State> {
  const { repository, all, checkpoints } = arrived;
  const start = plan.clone?.start_commit ?? plan.base_commit;
  const branch = (await refAt(repository, arrived.branch)) ?? start;
  const look = ['rev-parse', '--verify', '--quiet'];
  const tips = await git(repository, ['rev-parse', `${all}^@`]);
  const [head, tree, files] = await Promise.all(
    [branch, `${branch}^{tree}`, `${checkpoints}^{tree}`].map(async (name) => {
      const { ok, stdout } = await git(repository, [...look, name]);
      return ok ? stdout.trim() : undefined;
    }),
  );
  return {
    head,
    tips: tips.ok ? tips.stdout.split('\n').filter((line) => line !== '') : [],
    pushed: [],
    files: files === tree ? undefined : files,
  };
}

/** A commit of the files and of all that no ref of the user's leads to. */
async function onlyHere(
  repository: AgentRepository,
  { head, tips, pushed, files }: State,
  { agent_name, plan, lender }: Keeping,
): Promise<string | undefined> {
  const theirs = [...(await refsOfUser(lender, plan)), ...pushed, plan.base_commit];
  const loose: string[] = [];
  for (const tip of tips) {
    if (!(await isElsewhere(repository.arrived.repository, tip, [...theirs, ...loose]))) loose.push(tip);
  }
  if (files === undefined && loose.every((tip) => tip === head)) return loose[0];
  const parents = [...new Set([...(head === undefined ? [] : [head]), ...loose])];
  const [message, tree] =
    files === undefined
      ? [`Branches and stashes of agent ${agent_name}`, `${parents[0]}^{tree}`]
      : [`Work of agent ${agent_name} that was not committed`, files];
  return commitTree(repository.arrived.repository, { tree, parents, message });
}

/** What the branches, tags and remotes of the user lead to. Those of agents come and go. */
async function refsOfUser(lender: string, plan: WorkspacePlan): Promise<readonly string[]> {
  const agents = plan.clone?.published_as.replace(/[^/]*$/, '') ?? 'refs/remotes/fleet/';
  const listed = await gitText(lender, [
    'for-each-ref',
    '--format=%(objecttype) %(objectname) %(*objectname) %(refname)',
    'refs/heads',
    'refs/tags',
    'refs/remotes',
  ]);
  return listed.split('\n').flatMap((line) => {
    const [type, object, peeled, name] = line.split(' ');
    if (name === undefined || name.startsWith(agents) || name.startsWith('refs/heads/fleet/')) return [];
    const commit = type === 'tag' ? peeled : object;
    return commit === undefined || commit === '' ? [] : [commit];
  });
}

async function isElsewhere(fleet: string, commit: string, others: readonly string[]): Promise<boolean> {
  const lines = [commit, ...others.map((each) => `^${each}`)].map((line) => `${line}\n`);
  const args = ['rev-list', '--max-count=1', '--ignore-missing', '--stdin'];
  const { ok, stdout } = await git(fleet, args, { input: lines.join('') });
  return ok && stdout.trim() === '';
}
