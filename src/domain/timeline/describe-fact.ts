import type { FactBody } from '../fact.ts';
import { shortId } from '../values/short-id.ts';

/** A fact in words. */
export function describeFact(body: FactBody): string {
  switch (body.kind) {
    case 'agent.created':
      return `created for project ${body.project} with role ${body.role}`;
    case 'agent.admitted':
      return 'admitted: it may start now';
    case 'agent.workspace_made':
      return body.branch === null ? 'workspace made' : `workspace made on branch ${body.branch}`;
    case 'agent.ready':
      return 'ready';
    case 'agent.start_failed':
      return `could not start: ${body.reason}`;
    case 'agent.stop_requested':
      return 'stop requested';
    case 'agent.stopped':
      return 'stopped';
    case 'agent.restart_requested':
      return 'restart requested';
    case 'agent.deleting':
      return 'deletion requested';
    case 'agent.deleted':
      return 'deleted';
    case 'agent.restored':
      return `restored as ${body.name}`;
    case 'agent.acknowledged':
      return 'acknowledged by a human';
    case 'runner.started':
      return `runner ${body.generation} started (pid ${body.pid}, version ${body.version})`;
    case 'runner.slept':
      return 'went to sleep';
    case 'runner.lost':
      return `runner ${body.generation} found dead`;
    case 'task.accepted':
      return `task ${shortId(body.task_id)} accepted from ${body.source}: ${body.message}`;
    case 'task.started':
      return `task ${shortId(body.task_id)} started`;
    case 'task.cancel_requested':
      return `task ${shortId(body.task_id)}: cancellation requested`;
    case 'task.ended':
      return `task ${shortId(body.task_id)} ended ${body.state}: ${body.reason}`;
    case 'report':
      return `reported ${body.state}: ${body.message}${body.uri === null ? '' : ` (${body.uri})`}`;
    case 'checks.started':
      return `checks of ${shortId(body.commit)} started: ${body.names.join(', ')}`;
    case 'checks.ended': {
      const failed = body.failed.length === 0 ? '' : `: ${body.failed.join(', ')}`;
      return `checks of ${shortId(body.commit)} ended ${body.state}${failed}`;
    }
    case 'metadata.set':
      return body.value === null
        ? `metadata ${body.key} removed`
        : `metadata ${body.key} set to ${body.value}`;
    case 'task.resumed':
      return `task ${shortId(body.task_id)} resumed`;
    case 'session.opened':
      return `session ${body.session_id} ${body.how}`;
    case 'tool.opened':
      return `started the tool ${body.tool} (call ${body.call_id})`;
    case 'tool.ended':
      return `tool call ${body.state} (call ${body.call_id})`;
    case 'turn.retried':
      return `try ${body.attempt} failed: ${body.reason}`;
    case 'usage':
      return `used ${body.tokens} tokens, ${body.cost} dollars`;
    case 'agent.parked':
      return `parked: ${body.reason}`;
    case 'agent.unparked':
      return 'no longer parked';
    case 'approval.asked':
      return `asked (${body.approval_id}): ${body.question.kind} ${body.question.tool}`;
    case 'approval.answered':
      return `answered (${body.approval_id}): ${body.decision}`;
    case 'approval.closed':
      return `closed without an answer (${body.approval_id}): ${body.reason}`;
    case 'journal.mended':
      return body.kept_as === null
        ? `the journal had lost what came after its first ${body.facts} facts`
        : `the journal was damaged: ${body.facts} facts were saved, and it is kept as ${body.kept_as}`;
    case 'log.cut':
      return `log cut: ${body.entries} entries, ${body.characters} characters`;
  }
}
