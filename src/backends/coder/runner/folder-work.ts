import type { AgentDiff, DiffRequest } from '../../../domain/diff/agent-diff.ts';
import type { Launch } from '../../../domain/launch.ts';
import type { CheckpointView } from '../../../domain/merge/checkpoint-view.ts';
import { publishConflict } from '../../../domain/merge/publish-problem.ts';
import type { Updated, UpdateStrategy } from '../../../domain/merge/update.ts';
import { FleetError } from '../../../domain/values/errors.ts';
import type { Checker } from '../../../runner/checks/checker.ts';
import type { MadeCheckpoint } from '../../../runner/workspace.ts';
import { LandingStore } from '../../../store/landing-store.ts';
import type { Store } from '../../../store/store.ts';
import { localChecker } from '../../local/checks/local-checker.ts';
import { finishUpdate } from '../../local/update/interrupted-update.ts';
import { updateClone } from '../../local/update/update-clone.ts';
import { preparePush } from '../../local/publish/prepare-push.ts';
import { projectRemote } from '../../local/publish/project-remote.ts';
import type { OwnLogin } from '../../local/publish/push-environment.ts';
import { RemoteGit } from '../../local/publish/remote-git.ts';
import { agentPaths } from '../../local/records/paths.ts';
import type { ClonePlan } from '../../local/records/workspace-plan.ts';
import type { AgentWork } from '../../local/repository/agent-work.ts';
import { checkpointStart } from '../../local/repository/checkpoint-start.ts';
import { packRepositories } from '../../local/repository/pack-repositories.ts';
import { agentDiff } from '../../local/workspace/agent-diff.ts';
import { agentWork, type WorkOf } from '../../local/workspace/agent-work-of.ts';
import { listCheckpoints } from '../../local/workspace/list-checkpoints.ts';
import type { ProjectRemote, ReadyPush } from '../../publishing.ts';
import { folderPlan } from './folder-plan.ts';
import type { FolderOptions } from './folder-workspace.ts';

export interface FolderWorkParts {
  readonly options: FolderOptions;
  readonly launch: Launch;
  readonly store: Store;
  /** What the agent's programs have in their environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Each checkpoint is a pack or two: git reads many packs slowly. */
const PACK_EVERY = 50;

interface Followed {
  readonly of: WorkOf;
  readonly clone: ClonePlan;
  readonly work: AgentWork;
}

/** Review and merge in the workspace of one agent: the code that follows agents of one machine, with the state directory of
 *  the runner as its home. The runner is the agent's own user, so that no sandbox is between them. */
export class FolderWork {
  readonly #parts: FolderWorkParts;
  #known: { readonly key: string; readonly followed: Followed } | undefined;

  constructor(parts: FolderWorkParts) {
    this.#parts = parts;
  }

  async diff(request: DiffRequest & { readonly running: string | null }): Promise<AgentDiff> {
    const { of } = await this.#followed();
    return agentDiff(of, request);
  }

  async checkpoints(): Promise<readonly CheckpointView[]> {
    const { of } = await this.#followed();
    return listCheckpoints(of);
  }

  async checkpoint(task_id: string): Promise<MadeCheckpoint | null> {
    const followed = await this.#repository();
    if (followed === undefined) return null;
    await takeOver(followed.work);
    const made = await followed.work.checkpoint(task_id);
    if (made.number % PACK_EVERY === 0) await packRepositories(this.#parts.options.state);
    return made;
  }

  async update(strategy: UpdateStrategy, told: (made: MadeCheckpoint) => void): Promise<Updated> {
    const { of, clone, work } = await this.#followed();
    const { store, env } = this.#parts;
    const [, name, branch] = /^refs\/remotes\/([^/]+)\/(.+)$/.exec(of.plan.base_ref ?? '') ?? [];
    if (of.plan.base_ref !== undefined && name !== undefined && branch !== undefined) {
      const remote = { name, address: undefined };
      await this.#remoteGit(clone, remote, branch).fetch(branch, of.plan.base_ref);
    }
    return updateClone({ of, work, landings: new LandingStore(store), env, cell: null, told }, strategy);
  }

  async finishUpdate(told: (made: MadeCheckpoint) => void): Promise<void> {
    const { of, work } = await this.#followed();
    const { plan, paths, launch } = of;
    const { env } = this.#parts;
    const place = { directory: plan.directory, env, cell: null, workspace_id: launch.workspace_id };
    await finishUpdate({ paths, plan, work, place, told });
  }

  get checker(): Checker {
    const checkerOf = ({ plan }: WorkOf): Checker => {
      const { options, store, launch } = this.#parts;
      return localChecker({ home: options.state, store, plan, launch, contained: false });
    };
    return {
      commit: async () => {
        const { of, work } = await this.#followed();
        await takeOver(work);
        return checkerOf(of).commit();
      },
      run: async (run) => checkerOf((await this.#followed()).of).run(run),
      known: async (commit, checks) => checkerOf((await this.#followed()).of).known(commit, checks),
    };
  }

  async remote(): Promise<ProjectRemote> {
    const { of, clone } = await this.#followed();
    return projectRemote(clone.lender, of.plan.base_name);
  }

  /** By the credentials of the workspace: no login of the forge comes here. */
  async readyPush(allow_workflows: boolean): Promise<ReadyPush> {
    const { of } = await this.#followed();
    return preparePush(of, {
      remote: await this.remote(),
      login: undefined,
      own: ownLogin(),
      allow_workflows,
      signal: new AbortController().signal,
      progress: () => {},
    });
  }

  /** Pushes a checkpoint to a branch that another workspace starts from. Doing it again is harmless. */
  async fork(
    branch: string,
    from: { readonly number: number | undefined; readonly workspace_id: string },
  ): Promise<void> {
    const { of, clone } = await this.#followed();
    const { name: agent_name, workspace_id } = of.launch;
    const remote = await this.remote();
    const source = { clone, branch: of.plan.branch, agent_name, of: workspace_id };
    const { commit } = await checkpointStart(of.home, source, from);
    const there = this.#remoteGit(clone, remote, branch);
    const seen = (await there.tips([branch])).get(branch);
    if (seen === commit) return;
    if (seen !== undefined)
      throw publishConflict(
        'not_fast_forward',
        `The remote ${remote.name} has a branch ${branch} already. Give the fork another name, or delete that branch there.`,
        { head: seen },
      );
    await there.push(commit, null);
  }

  #remoteGit({ lender }: ClonePlan, remote: ProjectRemote, branch: string): RemoteGit {
    const { signal } = new AbortController();
    return new RemoteGit({ lender, remote, login: undefined, branch, own: ownLogin(), signal });
  }

  async #followed(): Promise<Followed> {
    const followed = await this.#repository();
    if (followed !== undefined) return followed;
    const { directory, agent_name } = this.#parts.options;
    throw new FleetError(
      'INVALID_INPUT',
      `The workspace of agent "${agent_name}" has no git repository in ${directory}. A template clones one there, or the agent does.`,
      { field: 'agent_name', reason: 'no_repository' },
    );
  }

  async #repository(): Promise<Followed | undefined> {
    const { options, launch } = this.#parts;
    const plan = await folderPlan(options);
    if (plan?.clone === undefined) return undefined;
    const key = JSON.stringify(plan);
    if (this.#known?.key === key) return this.#known.followed;
    const { state: home } = options;
    const of: WorkOf = { home, paths: agentPaths(home, launch.workspace_id), plan, launch };
    const followed = { of, clone: plan.clone, work: agentWork(of) };
    this.#known = { key, followed };
    return followed;
  }
}

/** What is refused is not left behind unseen. */
async function takeOver(work: AgentWork): Promise<void> {
  await work.look((problem) => {
    throw new FleetError('SERVICE_UNAVAILABLE', `${problem}.`, { reason: 'workspace_unreadable' });
  });
}

/** The variables by which Coder lets the git of a workspace log in. */
function ownLogin(): OwnLogin {
  const { GIT_ASKPASS, GIT_SSH_COMMAND } = process.env;
  return {
    ...(GIT_ASKPASS === undefined ? {} : { GIT_ASKPASS }),
    ...(GIT_SSH_COMMAND === undefined ? {} : { GIT_SSH_COMMAND }),
  };
}
