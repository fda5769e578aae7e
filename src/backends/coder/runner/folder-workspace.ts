import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Workspace } from '../../../runner/workspace.ts';
import { gitText } from '../../git/git.ts';
import { folderGitFacts } from './folder-git-facts.ts';

export interface FolderOptions {
  readonly directory: string;
  readonly agent_name: string;
  readonly branch: string | null;
  readonly base: string | null;
}

/** The directory of a Coder workspace; where the template has put a repository there, with a branch of the agent's own. */
export function folderWorkspace(options: FolderOptions): Workspace {
  const { directory } = options;
  return {
    directory,
    setsUp: () => false,
    prepare: async (log) => {
      mkdirSync(directory, { recursive: true });
      if (!existsSync(join(directory, '.git'))) return { branch: null, base: null };
      const branch = options.branch ?? `fleet/${options.agent_name}`;
      const base = await gitText(directory, ['rev-parse', options.base ?? 'HEAD']);
      const now = await gitText(directory, ['branch', '--show-current']);
      if (now.trim() !== branch) {
        const make = options.branch === null ? ['-c', branch, base.trim()] : [branch];
        await gitText(directory, ['switch', '--quiet', ...make]);
        log('INFO', `on branch ${branch} from ${base.trim().slice(0, 12)}`);
      }
      return { branch, base: base.trim() };
    },
    git: () => folderGitFacts(directory, options.base).catch(() => null),
  };
}
