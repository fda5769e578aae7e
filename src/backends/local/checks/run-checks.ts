import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError } from '../../../domain/values/errors.ts';
import { isConclusive, type Check, type CheckResult } from '../../../domain/review/checks.ts';
import { sweepRun } from '../../../platform/processes/process-tree.ts';
import { CheckResultStore } from '../../../store/check-result-store.ts';
import { containmentLoss } from '../records/require-containment.ts';
import { resultKey, treeKey, treesOf, type CheckPlace, type TreeKey } from './check-place.ts';
import { claimTree } from './claim-tree.ts';
import { PreparedTree } from './prepare-tree.ts';
import { pruneTrees } from './prune-trees.ts';
import { treePaths, type TreePaths } from './tree-paths.ts';

export interface CheckRequest extends CheckPlace {
  /** A commit or a tree that is in Fleet's repository. */
  readonly revision: string;
  readonly checks: readonly Check[];
  /** True: also those with a result run. */
  readonly again?: boolean;
  /** Finds all processes of the run; by default one of its own. */
  readonly marker?: string;
  readonly signal: AbortSignal;
  progress(message: string): void;
}

/** Prepared trees of a project that are kept for the next run. */
const MOST_TREES = 4;

/** Runs checks on a clean checkout of a tree, one after the other, and keeps each result. A check whose result is known
 *  does not run again. Throws when it is aborted; results so far are kept. */
export async function runChecks(request: CheckRequest): Promise<readonly CheckResult[]> {
  const { home, project, store, checks, again = false, signal, progress } = request;
  const key = await knownTree(request);
  const results = new CheckResultStore(store);
  const known = new Map<string, CheckResult>();
  const look = (check: Check): void => {
    const found = results.get(resultKey(request, key, check));
    if (found !== undefined && isConclusive(found)) known.set(check.name, { ...found, name: check.name });
  };
  if (!again) checks.forEach(look);
  if (checks.every(({ name }) => known.has(name))) return inOrder(checks, known);
  const loss = containmentLoss(home);
  if (loss !== undefined)
    throw new FleetError('SERVICE_UNAVAILABLE', `The checks were not run: ${loss}.`, {
      reason: 'containment_lost',
    });
  using _claim = await claimTree(home, key.name, { signal, waiting: progress });
  // Another process may have run them meanwhile.
  if (!again) checks.forEach(look);
  const run = checks.filter(({ name }) => !known.has(name));
  for await (const [check, result] of runEach(request, key, run)) {
    results.put(resultKey(request, key, check), result);
    known.set(check.name, result);
    progress(`${check.name}: ${result.state}`);
  }
  pruneTrees(home, treesOf(home, project), MOST_TREES);
  return inOrder(checks, known);
}

/** The results that are known of a tree or commit, without running anything. */
export async function cachedResults(
  place: CheckPlace,
  revision: string,
  checks: readonly Check[],
): Promise<readonly CheckResult[]> {
  const key = await treeKey(place, revision);
  if (key === undefined) return [];
  const results = new CheckResultStore(place.store);
  return checks.flatMap((check) => {
    const found = results.get(resultKey(place, key, check));
    return found === undefined ? [] : [{ ...found, name: check.name }];
  });
}

type Outcome = readonly [check: Check, result: CheckResult];

async function* runEach(
  request: CheckRequest,
  key: TreeKey,
  checks: readonly Check[],
): AsyncGenerator<Outcome> {
  const { home, project, signal, progress, marker = `check-${randomUUID()}` } = request;
  const paths = treePaths(join(treesOf(home, project), key.name));
  await sweepBefore(paths, marker);
  let tree: PreparedTree;
  try {
    tree = await PreparedTree.open({ place: request, paths, tree: key.tree, marker, signal, progress });
  } catch (thrown) {
    signal.throwIfAborted();
    for (const check of checks) yield [check, unprepared(check, thrown)];
    return;
  }
  for (const [index, check] of checks.entries()) {
    progress(`${check.name}: running (${index + 1} of ${checks.length})`);
    yield [check, await runOne(tree, check, signal)];
  }
}

/** Ends what a process that died left running in the tree. */
async function sweepBefore({ directory, used }: TreePaths, marker: string): Promise<void> {
  const before = existsSync(used) ? readFileSync(used, 'utf8') : '';
  if (before !== '') await sweepRun(before);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(used, marker);
}

async function runOne(tree: PreparedTree, check: Check, signal: AbortSignal): Promise<CheckResult> {
  const { name, command, timeout_ms } = check;
  try {
    const { problem, exit_code, output, took_ms } = await tree.run(command, timeout_ms, {
      FLEET_CHECK: name,
    });
    const said = exit_code === null ? [output, `The check ${problem ?? ''}.`] : [output];
    return {
      name,
      state: problem === undefined ? 'passing' : 'failing',
      exit_code,
      took_ms,
      output: said.filter((text) => text !== '').join('\n'),
      checked_at: new Date().toISOString(),
    };
  } catch (thrown) {
    signal.throwIfAborted();
    return unprepared(check, thrown);
  }
}

/** A tree that cannot be prepared fails each check. */
function unprepared({ name }: Check, thrown: unknown): CheckResult {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    name,
    state: 'failing',
    exit_code: null,
    took_ms: 0,
    output: `The check was not run: ${reason}`,
    checked_at: new Date().toISOString(),
  };
}

async function knownTree(request: CheckRequest): Promise<TreeKey> {
  const key = await treeKey(request, request.revision);
  if (key !== undefined) return key;
  throw new FleetError(
    'SERVICE_UNAVAILABLE',
    `Fleet's repository does not have the commit ${request.revision}. Try again when the agent's work was taken over.`,
    { reason: 'commit_missing' },
  );
}

function inOrder(checks: readonly Check[], known: ReadonlyMap<string, CheckResult>): readonly CheckResult[] {
  return checks.flatMap(({ name }) => known.get(name) ?? []);
}
