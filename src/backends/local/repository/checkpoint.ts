import { randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { ClonePlan, WorkspacePlan } from '../records/workspace-plan.ts';
import { commitTree, FLEET_IDENTITY } from '../../git/commit-tree.ts';
import { copyIfThere, makeGitDirectory, type Setting } from '../lender/git-directory.ts';
import { lenderSettings } from '../lender/lender-settings.ts';
import type { Look } from '../reading/look.ts';
import { packedHow, PROMISOR } from './partial-clone.ts';
import type { Reader } from '../reading/reader.ts';
import { checkWhole, takePack } from './take-over.ts';

export interface CheckpointOf {
  readonly plan: WorkspacePlan;
  readonly clone: ClonePlan;
  /** Fleet's repository. */
  readonly fleet: string;
  /** True when the project is a partial clone. */
  readonly partial: boolean;
  readonly look: Look;
  /** The checkpoint before, and what leads to all that was taken over. */
  readonly parents: readonly string[];
  /** Commits that are whole in Fleet's repository. */
  readonly known: readonly string[];
  readonly about: string;
  readonly limit_ms: number;
}

export interface Checkpoint {
  readonly commit: string;
  /** Files that are too large for it. */
  readonly left_out: readonly string[];
}

const LARGEST_FILE = 50_000_000;
const MOST_FILES_BYTES = 500_000_000;

/** Makes a commit in Fleet's repository of the files that an agent has, tracked or not. */
export async function takeCheckpoint(reader: Reader, of: CheckpointOf): Promise<Checkpoint> {
  const { plan, fleet, look, parents, about } = of;
  const { paths, left_out } = filesOf(look, plan.directory);
  const message = [about, ...left_out.map((path) => `Left-Out: ${JSON.stringify(path)}`)].join('\n');
  const commit =
    paths.length === 0 && look.head !== undefined
      ? await commitTree(fleet, { tree: `${look.head}^{tree}`, parents, message })
      : await commitFiles(reader, of, { paths, message });
  return { commit, left_out };
}

async function commitFiles(
  reader: Reader,
  { plan, clone, fleet, partial, look, parents, known, limit_ms }: CheckpointOf,
  { paths, message }: { readonly paths: readonly string[]; readonly message: string },
): Promise<string> {
  reader.clear();
  const directory = join(reader.scratch, 'git');
  const own = plan.clone === undefined ? clone.lender : join(plan.directory, '.git');
  makeGitDirectory({
    path: directory,
    format: clone.format,
    head: 'ref: refs/heads/none',
    settings: [...(await fileSettings(plan.repository)), ...(partial ? [PROMISOR] : [])],
    alternates: [own, fleet].map((each) => join(each, 'objects')),
  });
  copyIfThere(join(fleet, 'shallow'), join(directory, 'shallow'));
  const mark = randomUUID();
  const whole = [...known, ...parents];
  const { pack, said } = await takePack(reader, {
    script: SNAPSHOT,
    args: [directory, mark, packedHow(partial), look.head ?? '', message, ...parents, '--', ...whole],
    env: FLEET_IDENTITY,
    input: Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1'),
    limit_ms,
    into: fleet,
    partial,
    known: whole,
  });
  const commit = new RegExp(`^${mark} ([0-9a-f]{40,64})$`, 'm').exec(said)?.[1];
  if (commit === undefined) throw new Error('the files were packed without a commit');
  await checkWhole(fleet, { commits: [commit], known: whole, pack, partial });
  return commit;
}

/** What git says has changed, without what is too large. */
function filesOf(
  { status }: Look,
  directory: string,
): { readonly paths: readonly string[]; readonly left_out: readonly string[] } {
  const paths: string[] = [];
  const left_out: string[] = [];
  let bytes = 0;
  for (const path of changedPaths(status)) {
    const size = sizeOf(directory, path);
    if (size > LARGEST_FILE || bytes + size > MOST_FILES_BYTES)
      left_out.push(Buffer.from(path, 'latin1').toString());
    else {
      paths.push(path);
      bytes += size;
    }
  }
  return { paths, left_out };
}

async function fileSettings(repository: string): Promise<readonly Setting[]> {
  const { copied } = await lenderSettings(repository, false);
  return [
    ...copied.filter(([key, value]) => AS_OBJECTS.test(key) && PLAIN.test(value)),
    ['core.bare', 'false'],
    ['core.safecrlf', 'false'],
  ];
}

/** Settings that say how files become objects. None of them runs anything. */
const AS_OBJECTS = /^core\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode)$/;
const PLAIN = /^(true|false|yes|no|on|off|input|lf|crlf|native|[01]|)$/i;

/** A git directory of Fleet's own stands in for the agent's: of that one, the index says what need not be read again. */
const SNAPSHOT = `
set -e
index=$(GIT_DIR=$PWD/.git git rev-parse --git-path index)
export GIT_DIR=$1 GIT_WORK_TREE=$PWD
mark=$2 how=$3 head=$4 message=$5
shift 5
if [ -f "$index" ]; then
  cp -p "$index" "$GIT_DIR/index"
  for shared in "\${index%/*}"/sharedindex.*; do
    [ ! -f "$shared" ] || cp -p "$shared" "$GIT_DIR/"
  done
fi
git ls-files --stage > /dev/null 2>&1 || rm -f "$GIT_DIR/index"
[ -f "$GIT_DIR/index" ] || [ -z "$head" ] || git read-tree "$head"
git update-index -q --add --remove --replace -z --stdin
tree=$(git write-tree --missing-ok)
set -- "$@"
parents=
while [ "$1" != -- ]; do parents="$parents -p $1"; shift; done
shift
commit=$(printf '%s\\n' "$message" | git commit-tree "$tree" $parents -F -)
echo "$mark $commit" >&2
{ echo "$commit"; echo --not; [ $# = 0 ] || printf '%s\\n' "$@"; } | git pack-objects --revs --stdout --delta-base-offset -q "$how"
`;

/** A link on the way may lead anywhere: nothing is opened. */
function sizeOf(directory: string, path: string): number {
  const file = Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(path, 'latin1')]);
  try {
    return lstatSync(file).size;
  } catch {
    return 0;
  }
}

/** The paths in what `git status --porcelain=v2 -z --no-renames` prints; directories are repositories inside. */
export function changedPaths(status: string): readonly string[] {
  return status.split('\0').flatMap((entry) => {
    const fields = { '1': 8, u: 10, '?': 1 }[entry[0] ?? ''];
    if (fields === undefined) return [];
    const path = entry.split(' ').slice(fields).join(' ');
    return path === '' || path.endsWith('/') ? [] : [path];
  });
}
