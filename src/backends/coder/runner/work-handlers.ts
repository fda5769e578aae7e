import type { Launch } from '../../../domain/launch.ts';
import { isWorking } from '../../../domain/merge/is-working.ts';
import { publishConflict } from '../../../domain/merge/publish-problem.ts';
import { checkMayRun } from '../../../runner/checks/checks-request.ts';
import { integer, optionalTexts, text } from '../../../runner/api/shapes.ts';
import { diffRequestOf, type Handlers } from '../../../runner/runner-handlers.ts';
import type { Journal } from '../../../runner/journal/journal.ts';
import type { Runner } from '../../../runner/runner.ts';
import type { FolderWork } from './folder-work.ts';

export interface WorkHandlerParts {
  readonly runner: Runner;
  readonly journal: Journal;
  readonly launch: Launch;
  work(): Promise<FolderWork>;
}

/** What the fleet can ask of the work in a workspace. A runner of an older version has none of these. */
export function workHandlers({ runner, journal, launch, work }: WorkHandlerParts): Handlers {
  const idleWork = async (): Promise<FolderWork> => {
    if (isWorking(journal.state()))
      throw publishConflict('busy', `The agent "${launch.name}" is working. Wait until it is idle.`);
    return work();
  };
  return {
    diff: async (fields) => runner.diff(diffRequestOf(fields)),
    checkpoints: async () => ({ checkpoints: await runner.checkpoints() }),
    results: async (fields) => {
      if (fields['for_agent'] === true) checkMayRun(launch);
      return runner.shownChecks(optionalTexts(fields, 'names'));
    },
    remote: async () => {
      const { name, address } = await (await work()).remote();
      return { name, address: address ?? null };
    },
    'ready-push': async (fields) => {
      const { branch, base, subject, notes } = await (
        await idleWork()
      ).readyPush(fields['allow_workflows'] === true);
      return { branch, base, subject, notes };
    },
    push: async (fields) => {
      const ready = await (await idleWork()).readyPush(fields['allow_workflows'] === true);
      return { pushed: await ready.push() };
    },
    forks: async (fields) => {
      const number = fields['number'] === undefined ? undefined : integer(fields, 'number');
      const workspace_id = text(fields, 'workspace_id');
      await (await work()).fork(text(fields, 'branch'), { number, workspace_id });
      return {};
    },
  };
}

/** Calls that change nothing: their answers may be large, and are not remembered. */
export const READS: ReadonlySet<string> = new Set(['diff', 'checkpoints', 'results', 'remote', 'ready-push']);
