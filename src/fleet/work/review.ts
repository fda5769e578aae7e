import { actorOf } from '../../domain/principal.ts';
import {
  isStale,
  lineOfPatch,
  reviewTask,
  type ReviewComment,
  type Side,
} from '../../domain/review/review-comment.ts';
import type { WhenBusy } from '../../domain/task.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';
import type { FleetContext, Making } from '../context/fleet-context.ts';
import type { ReviewDrafts } from '../context/review-drafts.ts';
import { startTask } from '../tasks/start-task.ts';
import { reviewPatches } from './review-patches.ts';

export interface CommentInput {
  readonly agent_name: string;
  readonly path: string;
  readonly line: number;
  readonly side: Side;
  readonly snippet?: string | undefined;
  readonly text: string;
}

const MOST_COMMENTS = 500;

export async function listReviewComments(context: FleetContext, name: string) {
  const { backend, agent } = await context.lookup.host(name);
  const comments = draftsOf(context).of(agent.workspace_id);
  const patches = await reviewPatches(backend, agent, comments);
  return {
    name: agent.name,
    comments: comments.map((comment) => ({
      ...comment,
      stale: isStale(comment, patches.get(comment.path)),
    })),
  };
}

export async function addReviewComment(
  context: FleetContext,
  input: CommentInput,
  { caller, makeId }: Making,
): Promise<ReviewComment & { readonly stale: boolean }> {
  const { backend, agent } = await context.lookup.host(input.agent_name);
  const drafts = draftsOf(context);
  if (drafts.of(agent.workspace_id).length >= MOST_COMMENTS)
    throw new FleetError('INVALID_INPUT', `A review has at most ${MOST_COMMENTS} comments. Send it first.`);
  const patch = (await reviewPatches(backend, agent, [input])).get(input.path);
  if (patch === undefined)
    throw new FleetError(
      'INVALID_INPUT',
      `The agent "${agent.name}" has not changed ${quote(input.path)}. show_agent_diff lists what it changed.`,
      { field: 'path' },
    );
  const comment: ReviewComment = {
    id: makeId('comment'),
    path: input.path,
    line: input.line,
    side: input.side,
    snippet: input.snippet ?? lineOfPatch(patch, input.side, input.line) ?? '',
    text: input.text,
    by: actorOf(caller).principal,
    created_at: new Date(context.clock.now().at).toISOString(),
  };
  drafts.add(agent.workspace_id, comment);
  return { ...comment, stale: isStale(comment, patch) };
}

export async function removeReviewComment(context: FleetContext, name: string, id: string) {
  const { agent } = await context.lookup.host(name);
  if (draftsOf(context).remove(agent.workspace_id, id)) return { agent_name: agent.name, id };
  throw new FleetError(
    'NOT_FOUND',
    `There is no comment ${quote(id)} on the work of agent "${agent.name}".`,
    {
      field: 'id',
    },
  );
}

/** Sends the draft as one task. It is empty once the task is accepted. */
export async function sendReview(
  context: FleetContext,
  input: { agent_name: string; message?: string | undefined; when_busy?: WhenBusy | undefined },
  making: Making,
) {
  const { agent } = await context.lookup.host(input.agent_name);
  const drafts = draftsOf(context);
  const comments = drafts.of(agent.workspace_id);
  if (comments.length === 0 && input.message === undefined)
    throw new FleetError(
      'INVALID_INPUT',
      `The review of agent "${agent.name}" is empty. Add comments, or give a message.`,
      { field: 'message' },
    );
  const answer = await startTask(
    context,
    {
      agent_name: agent.name,
      task_description: reviewTask(comments, input.message),
      when_busy: input.when_busy,
    },
    making,
  );
  for (const { id } of comments) drafts.remove(agent.workspace_id, id);
  return answer;
}

function draftsOf({ reviews }: FleetContext): ReviewDrafts {
  if (reviews !== undefined) return reviews;
  throw new FleetError('FORBIDDEN', 'Reviews are not for agents: an agent cannot review itself.');
}
