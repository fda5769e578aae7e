import type { Actor } from '../../../domain/principal.ts';
import { REPORT_STATES, type ReportState } from '../../../domain/task.ts';
import { noteOf } from './app-status.ts';
import type { Workspace } from './workspace-schema.ts';
import { appStatuses } from './workspace-state.ts';

/** A message that something in a workspace sent to Coder's agent API. */
export interface AppReport {
  readonly report_id: string;
  readonly state: ReportState;
  readonly message: string;
  readonly uri: string | null;
  readonly by: Actor;
}

/** The reports since the workspace was started, oldest first, without those that a runner of ours made. */
export function reportsOf(workspace: Workspace): readonly AppReport[] {
  const by: Actor = { principal: `agent:${workspace.name}`, door: 'fleet' };
  return appStatuses(workspace)
    .filter(({ id, message, uri }) => id !== '' && message.trim() !== '' && noteOf(uri) === undefined)
    .map(({ id, state, message, uri }) => ({
      report_id: id,
      state: REPORT_STATES.find((each) => each === state) ?? 'working',
      message,
      uri: /^https?:\/\//i.test(uri) ? uri : null,
      by,
    }));
}
