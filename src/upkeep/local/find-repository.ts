import { git } from '../../backends/git/git.ts';
import { repositoryProblem } from '../../backends/local/workspace/plan-workspace.ts';

/** The top of the work tree that a directory is in, or why agents cannot work there. */
export async function findRepository(directory: string): Promise<{ top?: string; problem?: string }> {
  const problem = await repositoryProblem(directory);
  if (problem !== undefined) return { problem };
  const { ok, stdout } = await git(directory, ['rev-parse', '--show-toplevel']);
  return ok ? { top: stdout.replace(/\n$/, '') } : { problem: 'is not in a work tree' };
}
