import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from '../../../domain/review/checks.ts';
import type { Store } from '../../../store/store.ts';
import { git } from '../../git/git.ts';
import { projectIdOf } from '../records/project-ids.ts';
import type { ClonePlan, WorkspacePlan } from '../records/workspace-plan.ts';
import { fleetRepository } from '../repository/fleet-repository.ts';

/** A project whose trees are checked. */
export interface CheckPlace {
  readonly home: string;
  readonly store: Store;
  /** The name of the project. */
  readonly project: string;
  readonly plan: Pick<WorkspacePlan, 'repository' | 'setup' | 'copy'>;
  readonly clone: Pick<ClonePlan, 'lender' | 'git_directory' | 'format'>;
  /** See `checkEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  /** False where the machine itself is the sandbox. */
  readonly contained?: boolean;
  /** Paths that roles hide from the agents whose work is checked. */
  readonly hide?: readonly string[];
}

export interface TreeKey {
  readonly tree: string;
  /** The set-up command and the files that are copied. */
  readonly setup: string;
  /** Names the prepared tree. */
  readonly name: string;
}

/** Undefined when Fleet's repository does not have the tree or commit. */
export async function treeKey(place: CheckPlace, revision: string): Promise<TreeKey | undefined> {
  const fleet = fleetRepository(place.home, place.clone);
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{tree}`];
  const { ok, stdout } = await git(fleet, args);
  if (!ok) return undefined;
  const tree = stdout.trim();
  const setup = setupKey(place.plan);
  return { tree, setup, name: digest([tree, setup]).slice(0, 32) };
}

export function resultKey({ project }: CheckPlace, { tree, setup }: TreeKey, check: Check) {
  const command = digest([check.command, check.timeout_ms]);
  return { project: projectIdOf(project), tree, setup, command };
}

/** Where the prepared trees of a project are. */
export function treesOf(home: string, project: string): string {
  return join(checksDirectory(home), projectIdOf(project));
}

export function checksDirectory(home: string): string {
  return join(home, 'checks');
}

function setupKey({ repository, setup, copy }: CheckPlace['plan']): string {
  const copied = copy.map((path) => [path, contentOf(join(repository, path))]);
  return digest([setup, copied]);
}

/** Larger files are compared by size and time. */
const MOST_READ = 1024 * 1024;

function contentOf(path: string): unknown {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (found.isSymbolicLink()) return ['link', readlinkSync(path)];
  if (found.isDirectory())
    return readdirSync(path)
      .toSorted()
      .map((name) => [name, contentOf(join(path, name))]);
  if (!found.isFile()) return 'other';
  if (found.size > MOST_READ) return [found.mode, found.size, found.mtimeMs];
  return [found.mode, createHash('sha256').update(readFileSync(path)).digest('hex')];
}

function digest(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
