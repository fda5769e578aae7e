import { landingTask } from '../../../domain/merge/landing-task.ts';
import type { LandFollowUp } from '../../../domain/merge/landing.ts';
import { errorOfBody, FleetError, toFleetError } from '../../../domain/values/errors.ts';
import { idFromKey } from '../../../platform/id-from-key.ts';
import { identify, isLiveProcess } from '../../../platform/processes/process-identity.ts';
import { LandingStore, type StoredLanding } from '../../../store/landing-store.ts';
import { deleteLocalAgent } from '../kept/delete-agent.ts';
import type { LocalContext } from '../records/local-context.ts';
import { LocalRunnerClient } from '../runner/local-runner-client.ts';

/** What a person would do, when nobody has given it to the agent. */
const HINT = / Update the agent \(.*$/;

interface Following {
  readonly context: LocalContext;
  readonly landing: StoredLanding;
  readonly follow_up: LandFollowUp;
}

/** Does what its caller wanted to follow a landing that has ended. Any process may call it, any number of times: one of
 *  them does it, and if that one dies, another. */
export async function followLanding(context: LocalContext, land_id: string): Promise<void> {
  const landings = new LandingStore(context.store);
  const landing = landings.claim(land_id, identify(process.pid) ?? null, isLiveProcess);
  if (landing?.follow_up == null) return;
  const following = { context, landing, follow_up: landing.follow_up };
  const change = landing.state === 'failed' ? await assign(following) : await remove(following);
  landings.change(land_id, { ...change, follow_up: null, follower: null });
}

/** What the agent itself can fix becomes its next task. */
async function assign({ context, landing, follow_up }: Following): Promise<Partial<StoredLanding>> {
  const { land_id, workspace_id } = landing;
  const error = errorOfBody(landing.error);
  const base = landing.into ?? landing.options.into ?? 'its base';
  const task = error === undefined ? undefined : landingTask(error, base);
  const row = context.rows.byId(workspace_id);
  if (!follow_up.assign_to_agent || error === undefined || task === undefined || row === undefined) return {};
  try {
    const runner = new LocalRunnerClient(context, row);
    await runner.update('base', follow_up.by);
    const accepted = await runner.accept({
      task_id: idFromKey([land_id, 'task']),
      message: task,
      when_busy: 'queue',
      source: follow_up.source,
      by: follow_up.by,
    });
    return failedWith(error, 'It is the next task of the agent.', { task_id: accepted.task.id });
  } catch (thrown) {
    return failedWith(error, `It was not given to the agent: ${toFleetError(thrown).message}`, {});
  }
}

function failedWith(
  error: FleetError,
  note: string,
  details: Readonly<Record<string, unknown>>,
): Partial<StoredLanding> {
  const message = `${error.message.replace(HINT, '')} ${note}`;
  return {
    message,
    error: new FleetError(error.code, message, { ...error.details, ...details }).toBody(),
  };
}

async function remove({ context, landing, follow_up }: Following): Promise<Partial<StoredLanding>> {
  const row = context.rows.byId(landing.workspace_id);
  if (!follow_up.delete_after || row === undefined) return {};
  try {
    const { signal } = new AbortController();
    await deleteLocalAgent(context, row, {
      by: follow_up.by,
      discard_work: false,
      signal,
      progress: () => {},
    });
    return {};
  } catch (thrown) {
    return { message: `${landing.message} The agent was not deleted: ${toFleetError(thrown).message}` };
  }
}
