import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { checkEnvironment } from '../../../src/backends/local/workspace/agent-checks.ts';
import { runChecks, type CheckRequest } from '../../../src/backends/local/checks/run-checks.ts';
import { fleetRepository } from '../../../src/backends/local/repository/fleet-repository.ts';
import { DEFAULT_CHECK_TIMEOUT_MS, type Check, type CheckResult } from '../../../src/domain/review/checks.ts';
import { Store } from '../../../src/store/store.ts';
import { agentClone, type AgentClone, type AgentCloneOptions } from '../installs/agent-clone.ts';

/** The checks of an agent's commit, in a fleet of its own. */
export interface CheckedClone extends Disposable {
  readonly clone: AgentClone;
  readonly request: Omit<CheckRequest, 'revision' | 'checks'>;
  /** What the runs of checks said, in order. */
  readonly said: readonly string[];
  /** Fleet's repository. */
  fleetGit(...args: string[]): string;
  /** Commits what a script did as the agent; the commit is in Fleet's repository. */
  commit(script: string): Promise<string>;
  run(
    revision: string,
    checks: readonly Check[],
    more?: Partial<CheckRequest>,
  ): Promise<readonly CheckResult[]>;
}

export async function checkedClone(options: AgentCloneOptions = {}): Promise<CheckedClone> {
  const clone = await agentClone(options);
  const { home, work } = clone;
  const plan = work.plan.clone;
  if (plan === undefined) throw new Error('an agent has a repository of its own');
  const store = new Store(home);
  const said: string[] = [];
  const request = {
    home,
    store,
    project: 'Setup',
    plan: work.plan,
    clone: plan,
    env: { ...checkEnvironment(process.env), HOME: join(clone.root, 'home') },
    signal: new AbortController().signal,
    progress: (message: string) => void said.push(message),
  };
  return {
    clone,
    request,
    said,
    fleetGit: (...args) =>
      execFileSync('git', ['-C', fleetRepository(home, plan), ...args], { encoding: 'utf8' }),
    commit: async (script) => {
      clone.agent(`${script}\ngit add -A; git commit --quiet --allow-empty -m work`);
      await clone.reader.takeOver(await clone.reader.look());
      return clone.agent('git rev-parse HEAD').trim();
    },
    run: (revision, checks, more = {}) => runChecks({ ...request, revision, checks, ...more }),
    [Symbol.dispose]: () => {
      store[Symbol.dispose]();
      clone[Symbol.dispose]();
    },
  };
}

export function check(name: string, script: string, timeout_ms = DEFAULT_CHECK_TIMEOUT_MS): Check {
  return { name, command: ['sh', '-c', script], timeout_ms };
}
