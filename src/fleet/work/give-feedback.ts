import type { AgentRecord } from '../../backends/backend.ts';
import { feedbackStep, MOST_TRIES, type FeedbackStep } from '../../domain/review/ci-feedback.ts';
import { feedbackTask } from '../../domain/review/feedback-task.ts';
import { isWorking } from '../../domain/merge/is-working.ts';
import { FLEET_ACTOR } from '../../domain/principal.ts';
import { FleetError } from '../../domain/values/errors.ts';
import { idFromKey } from '../../platform/id-from-key.ts';
import type { FeedbackRecords } from '../context/feedback-records.ts';
import type { FleetContext } from '../context/fleet-context.ts';
import type { PullRequests } from '../pull-requests/pull-requests.ts';

interface Feeding {
  readonly context: FleetContext;
  readonly records: FeedbackRecords;
  readonly requests: PullRequests;
}

/** Gives failing checks and comments of reviewers on the pull requests of idle agents of this machine to the agents, for
 *  projects that want it. */
export async function giveFeedback(context: FleetContext, signal: AbortSignal): Promise<void> {
  const { lookup, pullRequests: requests, feedback: records } = context;
  if (requests === undefined || records === undefined) return;
  const projects = await records.projects();
  if (projects.size === 0) return;
  const agents = requests.known((await lookup.records()).records);
  records.keepOnly(new Set(agents.map(({ workspace_id }) => workspace_id)));
  for (const agent of agents) {
    if (signal.aborted) return;
    if (projects.has(agent.project) && isReady(agent)) await giveTo(agent, { context, records, requests });
  }
}

/** An agent that works may be about to fix it. One that was stopped stays stopped. */
function isReady({ state, pull_request }: AgentRecord): boolean {
  const open = pull_request?.status === 'open' || pull_request?.status === 'draft';
  return open && state.phase === 'ready' && !isWorking(state);
}

async function giveTo(agent: AgentRecord, { context, records, requests }: Feeding): Promise<void> {
  const { workspace_id, name } = agent;
  const { url = '' } = agent.pull_request ?? {};
  const remote = agent.git?.remote;
  // An agent elsewhere says itself which remote it has.
  if (remote === undefined || context.lookup.backendOf(agent).publishing === undefined) return;
  const feedback = await requests.feedback({ url, remote });
  if (feedback === undefined) return;
  const before = records.get(workspace_id, url);
  const step = feedbackStep(feedback, before);
  try {
    if (step.kind !== 'none') await act(context, agent, { step, url });
  } catch (thrown) {
    // It began to work, or was stopped, at the same moment: the next round finds it as it is then.
    if (!(thrown instanceof FleetError)) throw thrown;
    console.error(`fleet: feedback of the pull request of agent "${name}" waits: ${thrown.message}`);
    return;
  }
  // After it was given: its ids are those of the feedback, so that giving it again is harmless.
  if (JSON.stringify(step.state) !== JSON.stringify(before)) records.put(workspace_id, url, step.state);
}

async function act(
  { lookup }: FleetContext,
  agent: AgentRecord,
  { step, url }: { readonly step: FeedbackStep; readonly url: string },
): Promise<void> {
  const runner = lookup.backendOf(agent).runner(agent);
  const id = idFromKey([agent.workspace_id, url, step.kind, JSON.stringify(step.state)]);
  if (step.kind === 'task')
    await runner.accept({
      task_id: id,
      message: feedbackTask(url, step),
      when_busy: 'reject',
      source: 'agent',
      by: FLEET_ACTOR,
    });
  else
    await runner.report({
      report_id: id,
      message: `Continuous integration still fails after ${MOST_TRIES} tries: ${step.failed.map(({ name }) => name).join(', ')}`,
      uri: url,
      state: 'failure',
      by: FLEET_ACTOR,
    });
}
