import { join } from 'node:path';
import { gitText } from '../../git/git.ts';
import { alternatesText } from '../lender/git-directory.ts';
import { isPartialClone, markPromised } from './partial-clone.ts';
import { PINS } from '../lender/pin.ts';
import { incomplete, refAt } from './take-over.ts';

export interface Bringing {
  /** A ref of Fleet's repository. */
  readonly from: string;
  /** The ref of the project's repository that is set to it. */
  readonly to: string;
  /** True for a ref that is never moved to other work. */
  readonly fresh?: boolean;
}

/** Brings a ref of Fleet's repository into the project's. Nothing of the agent's own repository is in the way: what is
 *  brought was checked when it arrived. */
export async function bringRef(fleet: string, lender: string, bringing: Bringing): Promise<void> {
  if (await isPartialClone(lender)) return bringIntoPartial(fleet, lender, bringing);
  const { from, to, fresh = false } = bringing;
  await gitText(
    lender,
    [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--no-auto-maintenance',
      '--no-recurse-submodules',
      '--refmap=',
      fleet,
      `${fresh ? '' : '+'}${from}:${to}`,
    ],
    { env: { GIT_ALLOW_PROTOCOL: 'file' } },
  );
}

/** `git fetch` cannot bring work whose unchanged files are missing where it comes from. */
async function bringIntoPartial(fleet: string, lender: string, { from, to, fresh }: Bringing): Promise<void> {
  const [commit, before] = await Promise.all([refAt(fleet, from), refAt(lender, to)]);
  if (commit === null) throw new Error(`Fleet's repository has no ref ${from}`);
  if (commit === before) return;
  const pinned = await gitText(lender, ['for-each-ref', '--format=%(objectname)', PINS]);
  const known = [...pinned.split('\n'), before ?? ''].filter((line) => line !== '');
  const isWhole = (await incomplete(fleet, { commits: [commit], known })) === undefined;
  const pack = await gitText(
    lender,
    [
      'pack-objects',
      '--revs',
      '--non-empty',
      '--delta-base-offset',
      '-q',
      ...(isWhole ? [] : ['--missing=allow-any']),
      join(lender, 'objects', 'pack', 'pack'),
    ],
    {
      input: [commit, ...known.map((each) => `^${each}`)].map((line) => `${line}\n`).join(''),
      env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: alternatesText([join(fleet, 'objects')]).trim() },
    },
  );
  if (pack !== '' && !isWhole) markPromised(lender, pack);
  const expected = fresh === true ? ['0'.repeat(commit.length)] : [];
  await gitText(lender, ['update-ref', to, commit, ...expected]);
}
