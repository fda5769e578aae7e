import { isAbsolute, resolve } from 'node:path';
import { gitText } from '../../git/git.ts';
import type { Setting } from './git-directory.ts';

interface Scoped {
  readonly scope: string;
  readonly key: string;
  readonly value: string;
}

/** What belongs to one repository and means nothing, or something else, in another. */
const NOT_COPIED =
  /^(core\.(bare|worktree|repositoryformatversion|fsmonitor|untrackedcache|splitindex|logallrefupdates|commitgraph|multipackindex)|extensions\.(objectformat|worktreeconfig|refstorage|relativeworktrees|compatobjectformat)|branch\..*|submodule\..*|gc\..*|maintenance\..*|pack\..*|index\..*|includeif?\..*|remote\..*\.(fetch|mirror|pushurl|push|prune|tagopt)|alternates\..*)$/;
/** Who commits, and with what: it may be said for some directories alone, and the agent's is not one of them. */
const OF_ANY_SCOPE = /^(user|author|committer)\.(name|email)$/;
const FOR_FILES =
  /^(includeif\..*|filter\..*\.(smudge|process)|extensions\.partialclone|remote\..*\.promisor)$/s;
const SIGNING = /^(user\.signingkey|gpg\..*)$/;

export interface LenderSettings {
  readonly copied: readonly Setting[];
  /** The file of patterns that the user has git ignore everywhere; undefined when it is where git looks for it. */
  readonly excludes_file: string | undefined;
  /** True when git may start a program, or fetch, to check files out: a filter, one that an include on a condition may
   *  bring, or a partial clone. */
  readonly needs_programs: boolean;
}

/** The settings of the project's repository that hold for an agent's work too, as they are in effect there. */
export async function lenderSettings(repository: string, signs: boolean): Promise<LenderSettings> {
  const all = await listSettings(repository);
  const own = ({ scope }: Scoped): boolean => scope === 'local' || scope === 'worktree';
  const taken = all.filter(
    (each) =>
      OF_ANY_SCOPE.test(each.key) ||
      (signs && SIGNING.test(each.key)) ||
      (own(each) && !NOT_COPIED.test(each.key)),
  );
  const remotes = [...new Set(taken.flatMap(({ key }) => /^remote\.(.*)\.url$/s.exec(key)?.[1] ?? []))];
  return {
    copied: [
      ...taken.map(({ key, value }) => [key, isAddress(key) ? absolute(value, repository) : value] as const),
      ...remotes.map((name) => [`remote.${name}.fetch`, `+refs/heads/*:refs/remotes/${name}/*`] as const),
      ...(signs ? [] : NO_SIGNING),
    ],
    excludes_file: all.findLast(({ key }) => key === 'core.excludesfile')?.value,
    needs_programs: all.some(({ key }) => FOR_FILES.test(key)),
  };
}

/** The key is on a device, or with an agent of the user's, that a sandboxed agent does not reach. */
const NO_SIGNING: readonly Setting[] = [
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['tag.forceSignAnnotated', 'false'],
];

async function listSettings(repository: string): Promise<readonly Scoped[]> {
  const listed = await gitText(repository, ['config', '--list', '--show-scope', '--includes', '-z']);
  return [...`${listed}\0`.matchAll(/([a-z]+)\0([^\n\0]*)\n?([^\0]*)\0/g)].map(
    ([, scope = '', key = '', value = '']) => ({ scope, key, value }),
  );
}

function isAddress(key: string): boolean {
  return /^remote\..*\.url$/s.test(key);
}

/** A path beside the project's repository is another one beside the agent's. */
function absolute(address: string, repository: string): string {
  const isPath = !isAbsolute(address) && !/^[^/]*:/.test(address);
  return isPath ? resolve(repository, address) : address;
}
