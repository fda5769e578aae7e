import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { FleetError } from '../../../domain/values/errors.ts';
import { allEnded } from '../../../platform/all-ended.ts';
import { git, gitText } from '../../git/git.ts';
import { bareGitEnvironment } from '../../git/git-environment.ts';
import { checkReported, checksWithoutLinks, markPromised } from './partial-clone.ts';
import type { Reader, Reading } from '../reading/reader.ts';

/** More than any work of an agent; a repository that claims to have more is refused. */
const MOST_BYTES = 2 * 1024 ** 3;

/** Faults of old tools, in many histories, that harm nobody. */
const HISTORIC = [
  'zeroPaddedFilemode',
  'badTimezone',
  'badFilemode',
  'missingSpaceBeforeDate',
  'missingSpaceBeforeEmail',
  'missingEmail',
  'missingNameBeforeEmail',
  'emptyName',
  'duplicateEntries',
  'nullSha1',
];
/** Files that git reads before anybody has looked at them, and that a link would let lie anywhere. */
const LINKED = ['gitmodulesSymlink', 'gitattributesSymlink', 'gitignoreSymlink', 'mailmapSymlink'];
const STRICT = [
  ...HISTORIC.map((fault) => `${fault}=ignore`),
  ...LINKED.map((fault) => `${fault}=error`),
].join(',');

export interface Packing extends Reading {
  /** Fleet's repository, where the pack arrives. */
  readonly into: string;
  /** True when the project is a partial clone. */
  readonly partial: boolean;
  /** Commits that are whole in Fleet's repository. */
  readonly known: readonly string[];
}

export interface Packed {
  /** The hash in the name of the pack; undefined when it was empty. */
  readonly pack: string | undefined;
  /** What the program that printed the pack said beside. */
  readonly said: string;
}

/** Takes a pack that a program prints over into a repository of Fleet's: each object is checked as it arrives. */
export async function takePack(
  reader: Reader,
  { into, partial, known, ...reading }: Packing,
): Promise<Packed> {
  const checks = partial ? await checksWithoutLinks(STRICT) : `--strict=${STRICT}`;
  const args = ['index-pack', '--stdin', '--fix-thin', checks, `--max-input-size=${MOST_BYTES}`];
  const indexing = spawn('git', args, {
    env: { ...bareGitEnvironment(into), GIT_DIR: into },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const indexed = { stdout: '', stderr: '' };
  indexing.stdout.on('data', (chunk: Buffer) => (indexed.stdout += chunk.toString()));
  indexing.stderr.on('data', (chunk: Buffer) => (indexed.stderr += chunk.toString()));
  indexing.stdin.on('error', () => {});
  const closed = once(indexing, 'close') as Promise<[number | null]>;
  // A reading that cannot begin must not leave a program behind that waits for its pack.
  const streamed = reader
    .stream(reading, (child) => child.stdout.pipe(indexing.stdin))
    .finally(() => indexing.stdin.end());
  const [{ ok, stderr }, [code]] = await allEnded([streamed, closed]);
  if (!ok || code !== 0) {
    const cutOff = !ok && (indexed.stderr === '' || indexed.stderr.includes('early EOF'));
    const why = (cutOff ? stderr : indexed.stderr).trim().split('\n').at(-1) ?? '';
    throw new FleetError('SERVICE_UNAVAILABLE', `git refused it (${why.replace(/^(fatal|error): /, '')})`);
  }
  if (partial) await checkReported(into, indexed, known);
  return { pack: /^pack\t([0-9a-f]+)$/m.exec(indexed.stdout)?.[1], said: stderr };
}

export interface Whole {
  readonly commits: readonly string[];
  /** Commits that are known to be whole. */
  readonly known: readonly string[];
}

export interface Arrival extends Whole {
  /** The pack that they arrived in. */
  readonly pack: string | undefined;
  readonly partial: boolean;
}

/** Throws unless all that the commits lead to is there, as far as commits that are known to be whole. In a partial clone the
 *  contents of files may be missing: the project's remote has them. */
export async function checkWhole(repository: string, arrival: Arrival): Promise<void> {
  const { pack, partial } = arrival;
  let problem = await incomplete(repository, arrival);
  if (problem !== undefined && partial) {
    problem = await incomplete(repository, arrival, '--filter=blob:none');
    if (problem === undefined && pack !== undefined) markPromised(repository, pack);
  }
  if (problem !== undefined) throw new FleetError('SERVICE_UNAVAILABLE', `it is not whole (${problem})`);
}

/** Which object is missing, as git says it; undefined when none is. */
export async function incomplete(
  repository: string,
  { commits, known }: Whole,
  ...more: readonly string[]
): Promise<string | undefined> {
  const lines = [...commits, ...known.map((each) => `^${each}`)].map((line) => `${line}\n`);
  const args = ['rev-list', '--objects', '--quiet', '--stdin', ...more];
  const { ok, stderr } = await git(repository, args, { input: lines.join('') });
  if (ok) return undefined;
  return (stderr.trim().split('\n').at(-1) ?? '').replace(/^(fatal|error): /, '');
}

/** Sets a ref that nobody else has changed meanwhile; null for one that is not there. */
export async function moveRef(
  repository: string,
  ref: string,
  { from, to }: { readonly from: string | null; readonly to: string },
): Promise<void> {
  await gitText(repository, ['update-ref', ref, to, from ?? '0'.repeat(to.length)]);
}

/** What a ref is at; null when it is not there. */
export async function refAt(repository: string, ref: string): Promise<string | null> {
  const { ok, stdout } = await git(repository, ['rev-parse', '--verify', '--quiet', ref]);
  return ok ? stdout.trim() : null;
}
