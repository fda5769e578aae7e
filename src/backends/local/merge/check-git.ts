import { FleetError } from '../../../domain/values/errors.ts';
import { gitEnvironment } from '../../git/git-environment.ts';
import { runGit } from '../../git/run-git.ts';

const NEEDED = [2, 39] as const;

let known: string | undefined;

/** Merging without a checkout needs a git that is not older than this. */
export async function checkGit(): Promise<void> {
  known ??= (await runGit(['--version'], { env: gitEnvironment() })).stdout.toString().trim();
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(known) ?? [];
  const [wantedMajor, wantedMinor] = NEEDED;
  if (Number(major) > wantedMajor || (Number(major) === wantedMajor && Number(minor) >= wantedMinor)) return;
  throw new FleetError(
    'SERVICE_UNAVAILABLE',
    `Merging needs git ${NEEDED.join('.')} or newer, and this is ${known}. Install a newer git.`,
    { reason: 'git_too_old' },
  );
}
