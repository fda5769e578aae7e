import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { gitText } from '../../git/git.ts';
import type { ClonePlan, WorkspacePlan } from '../records/workspace-plan.ts';
import { copyIfThere, makeGitDirectory } from '../lender/git-directory.ts';
import { lenderSettings, type LenderSettings } from '../lender/lender-settings.ts';
import { pin } from '../lender/pin.ts';

export interface CloneRequest {
  readonly plan: WorkspacePlan;
  readonly clone: ClonePlan;
  readonly workspace_id: string;
  /** Whether the agent may reach what the user signs with. */
  readonly signs: boolean;
  /** What the agent's branch was, when a repository that it had is gone. */
  readonly goes_on_from: string | null;
}

/** Makes an agent's repository; `writeFiles` checks the files out. Of the project's it borrows the objects and nothing
 *  else: what is in effect there is copied, so that the agent can change it for itself alone. */
export async function makeClone(
  request: CloneRequest,
  writeFiles: (settings: LenderSettings) => Promise<void>,
): Promise<void> {
  const { plan, clone, workspace_id, goes_on_from } = request;
  const start_commit = goes_on_from ?? clone.start_commit;
  const pinning = pin(clone.lender, {
    workspace_id,
    published_as: clone.published_as,
    commits: [start_commit, clone.start_commit, plan.base_commit],
  });
  // Both are awaited, so that neither goes on after the other has failed.
  const made = await Promise.allSettled([pinning, writeGitDirectory(request, start_commit).then(writeFiles)]);
  for (const each of made) if (each.status === 'rejected') throw each.reason;
}

async function writeGitDirectory(
  { plan, clone, signs }: CloneRequest,
  start_commit: string,
): Promise<LenderSettings> {
  const { repository, directory } = plan;
  const { lender } = clone;
  rmSync(directory, { recursive: true, force: true });
  const [settings, refs] = await Promise.all([
    lenderSettings(repository, signs),
    carriedRefs(plan, lender, start_commit),
  ]);
  const path = join(directory, '.git');
  makeGitDirectory({
    path,
    format: clone.format,
    head: `ref: refs/heads/${plan.branch}`,
    settings: settings.copied,
    alternates: clone.shallow ? [] : [join(lender, 'objects')],
  });
  writeFileSync(join(path, 'packed-refs'), refs.map(([name, commit]) => `${commit} ${name}\n`).join(''));
  copyHooks(join(lender, 'hooks'), join(path, 'hooks'));
  copyIfThere(join(clone.git_directory, 'info', 'sparse-checkout'), join(path, 'info', 'sparse-checkout'));
  copyIfThere(join(lender, 'info', 'attributes'), join(path, 'info', 'attributes'));
  copyIfThere(join(lender, 'info', 'exclude'), join(path, 'info', 'exclude'));
  addExcludes(settings.excludes_file, join(path, 'info', 'exclude'));
  if (!clone.shallow) return settings;
  cpSync(join(lender, 'objects'), join(path, 'objects'), { recursive: true, dereference: true });
  copyIfThere(join(lender, 'shallow'), join(path, 'shallow'));
  return settings;
}

type Ref = readonly [name: string, commit: string];

/** All that they lead to is pinned: the agent's branch, its base, and the tags of commits before it. */
async function carriedRefs(
  { base_name, branch }: WorkspacePlan,
  lender: string,
  start_commit: string,
): Promise<readonly Ref[]> {
  const format = '--format=%(refname) %(objectname) %(*objectname)';
  const patterns = ['refs/tags', `refs/heads/${base_name}`];
  const listed = await gitText(lender, ['for-each-ref', `--merged=${start_commit}`, format, ...patterns]);
  const found = listed.split('\n').flatMap((line): Ref[] => {
    const [name = '', object = '', peeled = ''] = line.split(' ');
    // The commit of an annotated tag: nothing pins the tag itself.
    return name === '' || name === `refs/heads/${branch}` ? [] : [[name, peeled === '' ? object : peeled]];
  });
  const refs: readonly Ref[] = [[`refs/heads/${branch}`, start_commit], ...found];
  return refs.toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** Those of a directory that is named in the settings are found there. */
function copyHooks(from: string, to: string): void {
  if (!existsSync(from)) return;
  for (const name of readdirSync(from)) {
    const hook = join(from, name);
    if (name.endsWith('.sample') || !statSync(hook, { throwIfNoEntry: false })?.isFile()) continue;
    copyIfThere(hook, join(to, name));
    chmodSync(join(to, name), statSync(hook).mode);
  }
}

/** The patterns that the user has git ignore everywhere. The reader of the agent's work does not see the user's files. */
function addExcludes(configured: string | undefined, to: string): void {
  const usual = join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'git', 'ignore');
  const file = configured === undefined ? usual : configured.replace(/^~\//, `${homedir()}/`);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return;
  appendFileSync(to, `\n${readFileSync(file, 'utf8')}`);
}
