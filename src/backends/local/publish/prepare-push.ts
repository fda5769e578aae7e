import { existsSync } from 'node:fs';
import { namedPaths } from '../../../domain/merge/landing.ts';
import { publishConflict } from '../../../domain/merge/publish-problem.ts';
import { runsInCi } from '../../../domain/diff/runs-in-ci.ts';
import { FleetError, quote } from '../../../domain/values/errors.ts';
import { git, gitText } from '../../git/git.ts';
import type { PushRequest, ReadyPush } from '../../publishing.ts';
import { changesBetween, type ChangedPath } from '../merge/changed-paths.ts';
import { checkGit } from '../merge/check-git.ts';
import { checkSubmodules } from '../merge/check-submodules.ts';
import { isPart } from '../../git/commits.ts';
import { readyWork } from '../merge/ready-work.ts';
import { agentRefs } from '../repository/fleet-repository.ts';
import { largeFile, pointersIn } from '../repository/large-files.ts';
import { refAt } from '../repository/take-over.ts';
import type { WorkOf } from '../workspace/agent-work-of.ts';
import { clonePlanOf } from '../workspace/plan-workspace.ts';
import type { OwnLogin } from './push-environment.ts';
import { RemoteGit } from './remote-git.ts';

/** Takes over the newest commits of an agent and checks that they can be pushed. Changes nothing at the remote. */
export async function preparePush(
  work: WorkOf,
  request: PushRequest & { readonly own?: OwnLogin },
): Promise<ReadyPush> {
  const { plan, launch } = work;
  const { remote, login, own, signal, progress } = request;
  await checkGit();
  const { lender } = await clonePlanOf(plan, launch.name);
  progress(`reading the work of ${launch.name}`);
  const { fleet, head, notes } = await readyWork(work, { head: undefined, uncommitted: 'leave' });
  const { branch } = plan;
  const base = plan.base_name.startsWith(`${remote.name}/`)
    ? plan.base_name.slice(remote.name.length + 1)
    : plan.base_name;
  const there = new RemoteGit({ lender, remote, login, branch, signal, ...(own && { own }) });
  progress(`asking ${remote.name}`);
  const tips = await there.tips([branch, base]);
  const since = await baseCommit(fleet, {
    base,
    at: tips.get(base),
    known: plan.base_commit,
    remote: remote.name,
  });
  await checkWork(fleet, { name: launch.name, since, head });
  const from = (await git(fleet, ['merge-base', since, head])).stdout.trim() || since;
  const changes = await changesBetween(fleet, from, head);
  if (!request.allow_workflows) checkWorkflows(changes);
  await checkSubmodules(fleet, lender, { to: head, changes });
  const seen = tips.get(branch) ?? null;
  const refs = agentRefs(launch.workspace_id);
  await checkMayMove(fleet, { refs, seen, head, branch, remote: remote.name });
  const pointers = await pointersIn({ fleet, commits: [head], known: [since] });
  const large = pointers.filter((id) => existsSync(largeFile(lender, id)));
  return {
    branch,
    base,
    subject: await gitText(fleet, ['log', '-1', '--format=%s', head]),
    notes,
    push: async () => {
      if (seen !== head) {
        progress(`pushing ${branch} to ${remote.name}`);
        // Known before it is there: the next push may replace it, also if this process is killed in between.
        await gitText(fleet, ['update-ref', refs.pushing, head]);
        await there.pushLargeFiles(large);
        await there.push(head, seen);
      }
      await gitText(fleet, ['update-ref', refs.pushed, head]);
      await git(fleet, ['update-ref', '-d', refs.pushing]);
      return seen !== head;
    },
  };
}

interface Base {
  readonly base: string;
  /** What the branch is at, at the remote. */
  readonly at: string | undefined;
  /** What the agent started from. */
  readonly known: string;
  readonly remote: string;
}

/** What the work is compared with: the base at the remote, as far as it is known here. */
async function baseCommit(fleet: string, { base, at, known, remote }: Base): Promise<string> {
  if (at === undefined)
    throw new FleetError(
      'INVALID_INPUT',
      `The remote ${remote} has no branch ${quote(base)}, which the work of the agent is for. Push it first: git push ${remote} ${base}`,
      { field: 'agent_name', reason: 'no_base' },
    );
  const { ok } = await git(fleet, ['cat-file', '-e', `${at}^{commit}`]);
  return ok ? at : known;
}

async function checkWork(
  fleet: string,
  { name, since, head }: { readonly name: string; readonly since: string; readonly head: string },
): Promise<void> {
  if (!(await isPart(fleet, head, since))) return;
  throw publishConflict(
    'nothing_to_publish',
    `The agent "${name}" has no commits that its base does not have. Ask it to commit its work.`,
  );
}

function checkWorkflows(changes: readonly ChangedPath[]): void {
  const paths = changes.map(({ path }) => path).filter(runsInCi);
  if (paths.length === 0) return;
  throw publishConflict(
    'workflows_changed',
    `The work changes what continuous integration runs, with its secrets, as soon as the branch is there: ${namedPaths(paths)}. Read these files, then set allow_workflows.`,
    { paths, field: 'allow_workflows' },
  );
}

interface Move {
  readonly refs: ReturnType<typeof agentRefs>;
  readonly seen: string | null;
  readonly head: string;
  readonly branch: string;
  readonly remote: string;
}

/** Commits of others are never replaced: only what the head includes, and what Fleet itself has pushed. */
async function checkMayMove(fleet: string, { refs, seen, head, branch, remote }: Move): Promise<void> {
  if (seen === null || seen === head || (await isPart(fleet, seen, head))) return;
  const own = await Promise.all([refAt(fleet, refs.pushed), refAt(fleet, refs.pushing)]);
  if (own.includes(seen)) return;
  throw publishConflict(
    'not_fast_forward',
    `The branch ${branch} of ${remote} has commits that Fleet has not pushed (${seen.slice(0, 12)}), and the agent does not have them. Ask the agent to fetch and merge them, or delete that branch at the remote.`,
    { head: seen },
  );
}
