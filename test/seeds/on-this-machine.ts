import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { AgentRows, type AgentRow } from '../../src/backends/local/records/agent-rows.ts';
import { findRun } from '../../src/platform/processes/process-tree.ts';
import { Store } from '../../src/store/store.ts';
import type { Answer } from '../support/fleets/fleet-under-test.ts';
import { FLEET } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';

/** What git says in a repository. */
export function git(directory: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', directory, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** The branches that agents have or left. */
export function fleetBranches(repository: string): string[] {
  const shown = ['refs/remotes/fleet/', 'refs/heads/fleet/', 'refs/heads/fleet-kept/'];
  return git(repository, 'for-each-ref', '--format=%(refname:lstrip=2)', ...shown)
    .split('\n')
    .filter((branch) => branch !== '');
}

/** The runner of an agent, and all that its tasks and set-up started. */
export function processesOf(workspaceId: string): number[] {
  const { stdout } = spawnSync('ps', ['-axww', '-o', 'pid=,args='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const runners = stdout
    .split('\n')
    .filter((line) => line.includes(workspaceId))
    .map((line) => Number.parseInt(line, 10));
  return [...new Set([...runners, ...findRun(workspaceId)])];
}

/** An agent as the store has it. */
export function rowOf({ home }: LocalFleet, name: string): AgentRow {
  using store = new Store(home);
  const row = new AgentRows(store).byName(name);
  if (row === undefined) throw new Error(`no agent ${name}`);
  return row;
}

export function runnerPid(fleet: LocalFleet, name: string): number {
  const pid = rowOf(fleet, name).runner?.pid;
  if (pid === undefined) throw new Error(`agent ${name} has no runner`);
  return pid;
}

/** The statuses that an agent went through, as its events tell them. */
export function statusesOf({ fleet }: LocalFleet, workspaceId?: string): unknown[] {
  return (fleet.events?.since('0', 100_000) ?? [])
    .filter((event) => event.kind === 'agent.status')
    .filter((event) => workspaceId === undefined || event.workspace_id === workspaceId)
    .map((event) => event.data['status']);
}

/** One command of the CLI, as a process of its own. */
export async function fleetCommand(fleet: LocalFleet, ...args: readonly string[]) {
  const child = spawn(process.execPath, [FLEET, ...args], {
    env: fleet.env,
    cwd: fleet.directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString('utf8');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: stdout?.() ?? '', stderr: stderr?.() ?? '' };
}

/** One operation in a process of its own. */
export async function callElsewhere(
  fleet: LocalFleet,
  operation: string,
  input: Answer = {},
): Promise<Answer> {
  const { stdout } = await fleetCommand(fleet, 'call', operation, JSON.stringify(input));
  return JSON.parse(stdout) as Answer;
}
