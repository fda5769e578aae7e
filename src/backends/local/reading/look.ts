import { randomUUID } from 'node:crypto';
import { FleetError } from '../../../domain/values/errors.ts';
import type { Reader } from './reader.ts';
import { baseRef, type WorkspacePlan } from '../records/workspace-plan.ts';

/** What an agent's repository says of itself. The agent can make it say anything: it is shown, and checked before it is
 *  used. */
export interface Look {
  readonly head: string | undefined;
  /** The branch that is checked out, without `refs/heads/`. */
  readonly branch: string | null;
  /** What its branches, its stashes and its HEAD are at. */
  readonly tips: readonly Tip[];
  /** What the agent has fetched from elsewhere, or pushed there, as it says. */
  readonly remotes: readonly string[];
  /** As `git log` shows the last commit in one line. */
  readonly subject: string | null;
  readonly behind: number;
  readonly ahead: number;
  /** As `git diff --shortstat` prints it. */
  readonly shortstat: string;
  /** As `git status --porcelain=v2 -z` prints it, a character for each byte: names of files need not be text. */
  readonly status: string;
}

export interface Tip {
  readonly name: string;
  readonly commit: string;
}

const MOST_TIPS = 500;

/** Parts are separated by a line that the agent cannot predict. Git would look into a submodule with the configuration
 *  that the agent wrote there; that changes nothing here, and takes time. */
const SCRIPT = `
mark=$1 base_commit=$2 lender=$3 base_ref=$4 landed=$5 landed_as=$6
next() { printf '\\n%s\\n' "$mark"; }
export GIT_DIR=$PWD/.git GIT_WORK_TREE=$PWD
git rev-parse --verify --quiet 'HEAD^{commit}'; next
git symbolic-ref --quiet HEAD; next
git for-each-ref --count=${MOST_TIPS} --format='%(objectname) %(refname)' refs/heads; next
git for-each-ref --count=${MOST_TIPS} --format='%(objectname)' refs/remotes; next
git log --walk-reflogs --max-count=${MOST_TIPS} --format='%H' refs/stash -- 2> /dev/null; next
git log --max-count=1 --format='%h %s'; next
base=$(GIT_DIR=$lender git rev-parse --verify --quiet "$base_ref") || base=$base_commit
git rev-list --left-right --count "$base...HEAD" -- || git rev-list --left-right --count "$base_commit...HEAD" --; next
is_part() { GIT_ALTERNATE_OBJECT_DIRECTORIES=$lender/objects git merge-base --is-ancestor "$1" HEAD 2> /dev/null; }
left=$(GIT_ALTERNATE_OBJECT_DIRECTORIES=$lender/objects git merge-base HEAD "$base" 2> /dev/null) || left=$base_commit
[ -z "$landed" ] || ! is_part "$landed" || is_part "$landed_as" || left=$landed
git diff --no-ext-diff --no-textconv --shortstat --ignore-submodules=dirty "$left"; next
git status --porcelain=v2 -z --no-renames --untracked-files=all --ignore-submodules=dirty
`;

/** Names what the answer of `look` depends on beside the agent's repository. */
export function lookContext(plan: WorkspacePlan, base: string | null, landed: LandedAs | undefined): string {
  return JSON.stringify([SCRIPT, plan.base_commit, baseRef(plan), base, landed ?? null]);
}

/** Work that the base has in another form, by a squash or a rebase. */
export interface LandedAs {
  /** The agent's commit. */
  readonly head: string;
  readonly after: string;
}

export interface LookedAt {
  readonly plan: WorkspacePlan;
  readonly lender: string;
  readonly landed: LandedAs | undefined;
}

/** Looks at an agent's repository. Throws when it cannot be read. */
export async function look(
  reader: Reader,
  { plan, lender, landed }: LookedAt,
  limit_ms: number,
): Promise<Look> {
  const mark = randomUUID();
  const args = [mark, plan.base_commit, lender, baseRef(plan), landed?.head ?? '', landed?.after ?? ''];
  const { ok, stdout, stderr } = await reader.read({ script: SCRIPT, args, limit_ms });
  const parts = stdout.toString('latin1').split(`\n${mark}\n`);
  const status = parts[8];
  const [head, branch, refs, remotes, stashes, subject, apart, shortstat] = parts.map(textOf);
  if (!ok || status === undefined) throw unreadable(stderr);
  const commit = commitIn(head ?? '');
  const [behind, ahead] = (apart ?? '').trim().split(/\s+/).map(Number);
  return {
    head: commit,
    branch: branch?.trim().replace(/^refs\/heads\//, '') || null,
    tips: [
      ...(commit === undefined ? [] : [{ name: 'HEAD', commit }]),
      ...lines(refs).flatMap((line) => tipOf(line.slice(line.indexOf(' ') + 1), line.split(' ')[0] ?? '')),
      ...lines(stashes).flatMap((line, index) => tipOf(`stash@{${index}}`, line)),
    ],
    remotes: lines(remotes).flatMap((line) => commitIn(line) ?? []),
    subject: subject?.trim() || null,
    behind: behind ?? 0,
    ahead: ahead ?? 0,
    shortstat: shortstat ?? '',
    status,
  };
}

function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}

function unreadable(stderr: string): FleetError {
  const said = stderr.split('\n').at(-1) ?? '';
  return new FleetError('SERVICE_UNAVAILABLE', `the agent's repository cannot be read: ${said}`);
}

function lines(text: string | undefined): readonly string[] {
  return (text ?? '').split('\n').filter((line) => line !== '');
}

function tipOf(name: string, text: string): readonly Tip[] {
  const commit = commitIn(text);
  return commit === undefined ? [] : [{ name, commit }];
}

function commitIn(text: string): string | undefined {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.exec(text.trim())?.[0];
}
