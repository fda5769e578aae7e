import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { WorkspaceGit } from '../../../domain/agent.ts';
import { remoteAddress } from '../../../domain/values/remote-address.ts';
import type { LogLevel } from '../../../domain/task.ts';
import type { Cell } from '../../../platform/processes/cell.ts';
import { writeFileAtomic } from '../../../platform/write-file.ts';
import { runProgram, type Exit } from '../../../runner/programs/run-program.ts';
import type { Workspace } from '../../../runner/workspace.ts';
import { gitEnvironment } from '../../git/git-environment.ts';
import { git } from '../../git/git.ts';
import { gitNumbers } from '../../git/git-numbers.ts';
import { reasonOf, type AgentWork } from '../repository/agent-work.ts';
import { copyFiles } from './copy-files.ts';
import { lenderProblem } from '../lender/lender-problem.ts';
import type { Look } from '../reading/look.ts';
import { makeClone } from '../repository/make-clone.ts';
import type { WorkspacePlan } from '../records/workspace-plan.ts';

export interface WorkspaceOptions {
  readonly plan: WorkspacePlan;
  readonly workspace_id: string;
  /** Where the steps that are done are noted, so that a crash repeats only what was not. */
  readonly stateDirectory: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** What the project's set-up sees of the machine. */
  readonly cell: Cell | null;
  readonly signs: boolean;
  readonly work: AgentWork;
}

type Log = (level: LogLevel, message: string) => void;

/** A git repository of the agent's own, with a branch of its own. */
export function localWorkspace(options: WorkspaceOptions): Workspace {
  const { plan, work } = options;
  let said = '';
  let remote: Promise<string | undefined> | undefined;
  return {
    directory: plan.directory,
    ...projectOf(plan),
    setsUp: () => plan.setup !== null && !isDone(options, 'set-up'),
    prepare: async (log, signal, turn) => {
      const gone = plan.clone === undefined ? undefined : lenderProblem(plan.repository, plan.clone.lender);
      if (gone !== undefined) throw new Error(gone);
      await once(options, WORKSPACE_STEP, () => makeRepository(options, log, signal));
      await once(options, 'set-up', async () => {
        copyFiles(plan, log);
        return plan.setup === null ? '' : await turn.setUp(() => runSetup(options, log, signal));
      });
      return { branch: plan.branch, base: plan.base_commit };
    },
    git: async (log) => {
      if (!existsSync(plan.directory)) return null;
      const complain = (problem: string): void => {
        if (said !== problem) log('WARN', problem);
        said = problem;
      };
      const look = await work.look(complain).catch((thrown: unknown) => {
        complain(reasonOf(thrown));
        throw thrown;
      });
      return factsOf(plan, look, await (remote ??= originOf(plan.repository)));
    },
    checkpoint: (task_id) => work.checkpoint(task_id),
  };
}

function projectOf({ repository, clone }: WorkspacePlan): Pick<Workspace, 'project'> {
  if (clone === undefined) return {};
  const git_directories = [clone.lender, clone.git_directory, join(repository, '.git')];
  return { project: { git_directories, branch: clone.published_as.replace(/^refs\/remotes\//, '') } };
}

/** What lists show of a look. */
export async function gitFacts(plan: WorkspacePlan, look: Look): Promise<WorkspaceGit> {
  return factsOf(plan, look, await originOf(plan.repository));
}

function factsOf(plan: WorkspacePlan, look: Look, remote: string | undefined): WorkspaceGit {
  return {
    branch: look.branch,
    base: plan.base_name,
    ahead: look.ahead,
    behind: look.behind,
    ...gitNumbers(look.status, look.shortstat),
    last_commit: look.subject,
    ...(remote === undefined ? {} : { remote }),
  };
}

async function originOf(repository: string): Promise<string | undefined> {
  if (!existsSync(repository)) return undefined;
  const { ok, stdout } = await git(repository, ['config', '--get', 'remote.origin.url']);
  return ok ? remoteAddress(stdout.trim()) : undefined;
}

async function once(options: WorkspaceOptions, step: string, work: () => Promise<string>): Promise<void> {
  if (!isDone(options, step)) writeFileAtomic(noteOf(options, step), await work());
}

/** The name is that of the step by which older versions made a worktree. */
const WORKSPACE_STEP = 'worktree';

function isDone(options: WorkspaceOptions, step: string): boolean {
  return existsSync(noteOf(options, step)) && existsSync(options.plan.directory);
}

function noteOf({ stateDirectory }: WorkspaceOptions, step: string): string {
  return join(stateDirectory, `${step}.done`);
}

/** True when the workspace was made whole once; it may be gone since. */
export function wasMade(stateDirectory: string): boolean {
  return existsSync(join(stateDirectory, `${WORKSPACE_STEP}.done`));
}

async function makeRepository(options: WorkspaceOptions, log: Log, signal: AbortSignal): Promise<string> {
  const { plan, workspace_id, signs } = options;
  if (plan.clone === undefined) throw new Error(`its worktree ${plan.directory} is gone`);
  const gone = lenderProblem(plan.repository, plan.clone.lender);
  if (gone !== undefined) throw new Error(gone);
  mkdirSync(dirname(plan.directory), { recursive: true, mode: 0o700 });
  // Also when all that was noted of the agent is gone with its directory.
  const goes_on_from = await options.work.branchBefore();
  const wasThere = goes_on_from !== null || existsSync(noteOf(options, WORKSPACE_STEP));
  await makeClone({ plan, clone: plan.clone, workspace_id, signs, goes_on_from }, ({ needs_programs }) =>
    checkOut(needs_programs ? options : { ...options, cell: null, env: gitEnvironment() }, signal),
  );
  if (wasThere)
    log('WARN', 'the workspace was gone; it was made again from the work that was last taken over');
  const from = plan.clone.started_from ?? plan.base_name;
  log('INFO', `repository with branch ${plan.branch} from ${from} (${plan.clone.start_commit.slice(0, 12)})`);
  return plan.branch;
}

/** Filters of the project run for the files: then git has what the agent has. Otherwise Fleet's own git writes them, and
 *  no sandbox has to be made for it. The agent has written nothing there yet. */
async function checkOut(options: WorkspaceOptions, signal: AbortSignal): Promise<void> {
  const lines: string[] = [];
  const exit = await runStep(options, signal, {
    command: ['git', '-c', 'advice.detachedHead=false', 'reset', '--hard', '--quiet'],
    onOutput: (line) => lines.push(line),
    onError: (line) => lines.push(line),
  });
  const problem = problemOf(exit);
  if (problem !== undefined)
    throw new Error(`git could not write the files of ${options.plan.base_name}: ${lines.at(-1) ?? problem}`);
}

async function runSetup(options: WorkspaceOptions, log: Log, signal: AbortSignal): Promise<string> {
  const { setup } = options.plan;
  if (setup === null) return '';
  log('INFO', `set-up: ${setup.join(' ')}`);
  const exit = await runStep(options, signal, {
    command: setup,
    onOutput: (line) => log('INFO', line),
    onError: (line) => log('WARN', line),
  });
  const problem = problemOf(exit);
  if (problem !== undefined)
    throw new Error(`the project's set-up (${setup.join(' ')}) ${problem}; see the log`);
  return setup.join(' ');
}

interface Step {
  readonly command: readonly string[];
  onOutput(line: string): void;
  onError(line: string): void;
}

/** By a program that sees what the agent's programs see. */
async function runStep(
  { plan, workspace_id, env, cell }: WorkspaceOptions,
  signal: AbortSignal,
  step: Step,
): Promise<Exit> {
  const place = { directory: plan.directory, env, marker: workspace_id, cell, stdin: '' };
  const exit = await runProgram({ ...place, ...step }, signal);
  signal.throwIfAborted();
  return exit;
}

export function problemOf(exit: Exit): string | undefined {
  switch (exit.kind) {
    case 'exited':
      return exit.code === 0 ? undefined : `failed with exit code ${exit.code}`;
    case 'killed':
      return `was killed by ${exit.signal}`;
    case 'not_started':
      return `could not be started: ${exit.message}`;
  }
}
