import { DECISIONS, type ApprovalAnswer } from '../domain/approval.ts';
import type { Actor } from '../domain/principal.ts';
import { REPORT_STATES, WHEN_BUSY } from '../domain/task.ts';
import type { ReportRequest } from './runner-client.ts';
import type { EndKind } from './runner-parts.ts';
import type { Runner } from './runner.ts';
import { integer, object, oneOf, optionalText, text, textOrNull, webAddress, type Fields } from './shapes.ts';

export type Handler = (fields: Fields, by: Actor) => Promise<object>;
export type Handlers = Readonly<Record<string, Handler>>;

const END_KINDS = ['stop', 'restart', 'delete'] as const satisfies readonly EndKind[];

/** What the fleet can ask a runner, whatever carries it. */
export function fleetHandlers(runner: Runner): Handlers {
  return {
    tasks: async (fields, by) =>
      runner.accept({
        task_id: text(fields, 'task_id'),
        message: text(fields, 'message'),
        when_busy: oneOf(WHEN_BUSY, fields, 'when_busy'),
        source: oneOf(['human', 'ai', 'agent'], fields, 'source'),
        by,
      }),
    cancel: async (fields, by) => {
      const task_id = optionalText(fields, 'task_id');
      return runner.cancel({ ...(task_id === undefined ? {} : { task_id }), by });
    },
    reports: async (fields, by) => runner.report(reportOf(fields, by)),
    metadata: async (fields, by) => {
      await runner.setMetadata({ key: text(fields, 'key'), value: textOrNull(fields, 'value'), by });
      return {};
    },
    answers: async (fields, by) => {
      await runner.answer({ approval_id: text(fields, 'approval_id'), answer: answerOf(fields), by });
      return {};
    },
    acknowledge: async (_, by) => {
      await runner.acknowledge({ by });
      return {};
    },
    ping: async () => ({}),
    refresh: async (fields) => {
      await runner.refresh({
        older_than_ms: integer(fields, 'older_than_ms'),
        within_ms: integer(fields, 'within_ms'),
      });
      return {};
    },
    end: async (fields, by) => {
      runner.end(oneOf(END_KINDS, fields, 'kind'), by);
      return {};
    },
  };
}

export function reportOf(fields: Fields, by: Actor): ReportRequest {
  return {
    report_id: text(fields, 'report_id'),
    message: text(fields, 'message'),
    uri: webAddress(fields, 'uri'),
    state: oneOf(REPORT_STATES, fields, 'state'),
    by,
  };
}

function answerOf(fields: Fields): ApprovalAnswer {
  const answer = object(fields['answer'], 'answer');
  return {
    decision: oneOf(DECISIONS, answer, 'decision'),
    option: textOrNull(answer, 'option'),
    answer: textOrNull(answer, 'answer'),
    note: textOrNull(answer, 'note'),
  };
}
