import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { agentRepository } from '../src/backends/local/workspace/agent-work-of.ts';
import { agentPaths } from '../src/backends/local/records/paths.ts';
import { planWorkspace } from '../src/backends/local/workspace/plan-workspace.ts';
import { makeClone } from '../src/backends/local/repository/make-clone.ts';
import { alternate, ratioRow, timed, type Row } from './measure.ts';
import type { Stage } from './stage.ts';

const ROUNDS = 15;

/** One new commit of an agent: looked at, packed in the sandbox, checked on arrival and shown in the project's repository;
 *  beside git's own pipe between two repositories, which checks nothing. */
export async function transfer(stage: Stage): Promise<readonly Row[]> {
  const home = join(stage.directory, 'transfer');
  const workspace_id = randomUUID();
  const paths = agentPaths(home, workspace_id);
  mkdirSync(paths.directory, { recursive: true });
  const plan = await planWorkspace({
    repository: stage.repository,
    directory: paths.workspace,
    agent_name: 'transferred',
    workspace_id,
    base: undefined,
    branch: undefined,
    pull_request_url: undefined,
    setup: null,
    copy: [],
    remote_name: 'fleet',
  });
  if (plan.clone === undefined) throw new Error('an agent has a repository of its own');
  const request = { plan, clone: plan.clone, workspace_id, signs: false, goes_on_from: null };
  await makeClone(request, async () => {
    git(paths.workspace, 'reset', '--quiet', '--hard');
  });
  const launch = { name: 'transferred', workspace_id, contained: true };
  const repository = await agentRepository({ home, paths, plan, launch });
  const target = join(home, 'target.git');
  await stage.git('clone', '--quiet', '--bare', '--shared', '.', target);
  let commits = 0;
  const commit = (): void => {
    const message = `commit ${++commits}`;
    git(paths.workspace, 'commit', '--quiet', '--allow-empty', `--message=${message}`);
  };
  const pipe = `printf 'HEAD\\n--not\\n${plan.base_commit}\\n' | git -C "$1" pack-objects --revs --stdout --thin -q | git -C "$2" index-pack --stdin --fix-thin > /dev/null`;
  const figures = await alternate(
    { rounds: ROUNDS },
    {
      ours: async () => {
        commit();
        return timed(async () => repository.takeOver(await repository.look()));
      },
      idle: () => timed(async () => repository.takeOver(await repository.look())),
      bare: () => stage.timer.ms('sh', '-c', pipe, 'sh', paths.workspace, target),
    },
  );
  const how = `in process; ${ROUNDS} rounds`;
  return [
    ratioRow(
      { measure: 'a new commit of an agent taken over', peer: 'git pack-objects | git index-pack', how },
      { ours: figures.ours.median, peer: figures.bare.median },
    ),
    ratioRow(
      { measure: 'a look at an agent without a new commit', peer: 'git pack-objects | git index-pack', how },
      { ours: figures.idle.median, peer: figures.bare.median },
    ),
  ];
}

function git(directory: string, ...args: readonly string[]): void {
  const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@localhost'];
  execFileSync('git', ['-C', directory, ...identity, ...args]);
}
