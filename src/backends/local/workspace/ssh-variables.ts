import { git } from '../../git/git.ts';
import type { WorkspacePlan } from '../records/workspace-plan.ts';

/** How git of a sandboxed agent starts ssh, unless its user has said so: a connection that is shared by a socket in the
 *  home directory can neither be reached nor made there, and ssh would end. */
export async function sshVariables({
  repository,
}: Pick<WorkspacePlan, 'repository'>): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await git(repository, ['config', '--show-scope', '--get-all', 'core.sshCommand']);
  // The command line of Fleet's own git has one too.
  const isSet = stdout.split('\n').some((line) => line !== '' && !line.startsWith('command\t'));
  return isSet ? {} : { GIT_SSH_COMMAND: 'ssh -o ControlMaster=no -o ControlPath=none' };
}
