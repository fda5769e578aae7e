import { DECISIONS, type ApprovalAnswer } from '../domain/approvals/approval.ts';
import type { DiffRequest } from '../domain/diff/agent-diff.ts';
import type { Actor } from '../domain/principal.ts';
import { UPDATE_STRATEGIES } from '../domain/merge/update.ts';
import { toFleetError } from '../domain/values/errors.ts';
import { REPORT_STATES, WHEN_BUSY } from '../domain/task.ts';
import type { ReportRequest } from './api/runner-client.ts';
import type { EndKind } from './runner-parts.ts';
import type { Runner } from './runner.ts';
import {
  integer,
  object,
  oneOf,
  optionalCount,
  optionalText,
  optionalTexts,
  text,
  textOrNull,
  webAddress,
  type Fields,
} from './api/shapes.ts';

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
    checks: async (fields, by) =>
      runner.check({
        run_id: text(fields, 'run_id'),
        names: optionalTexts(fields, 'names'),
        again: fields['again'] === true,
        within_ms: integer(fields, 'within_ms'),
        by,
      }),
    updates: async (fields) => runner.update(oneOf(UPDATE_STRATEGIES, fields, 'strategy')),
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

export interface SelfInterface {
  readonly agent_name: string;
  /** Keeps what the agent changed for the audit log. */
  record(call: { operation: string; actor: Actor; input: Fields; outcome: string }): void;
}

export function selfActor({ agent_name }: Pick<SelfInterface, 'agent_name'>): Actor {
  return { principal: `agent:${agent_name}`, door: 'self' };
}

/** What an agent can ask its own runner. */
export function selfHandlers(runner: Runner, { agent_name, record }: SelfInterface): Handlers {
  const by = selfActor({ agent_name });
  const audited =
    (operation: string, handler: Handler): Handler =>
    async (fields, actor) => {
      const call = { operation, actor, input: fields };
      try {
        const answer = await handler(fields, actor);
        record({ ...call, outcome: 'ok' });
        return answer;
      } catch (thrown) {
        record({ ...call, outcome: toFleetError(thrown).code });
        throw thrown;
      }
    };
  return {
    tasks: audited('start_agent_task', async (fields) =>
      runner.accept({
        task_id: text(fields, 'task_id'),
        message: text(fields, 'message'),
        when_busy: 'queue',
        source: 'agent',
        by,
      }),
    ),
    reports: audited('report_task', async (fields) => runner.report(reportOf(fields, by))),
    metadata: audited('set_agent_metadata', async (fields) => {
      await runner.setMetadata({ key: text(fields, 'key'), value: textOrNull(fields, 'value'), by });
      return {};
    }),
    details: async () => runner.details(),
    checks: async () => runner.shownChecks(),
    diff: async (fields) => runner.diff(diffRequestOf(fields)),
    checkpoints: async () => ({ checkpoints: await runner.checkpoints() }),
    history: async (fields) => runner.history(fields),
    log: async (fields) => runner.log(fields),
    conversation: async (fields) => runner.conversation(fields),
  };
}

function reportOf(fields: Fields, by: Actor): ReportRequest {
  return {
    report_id: text(fields, 'report_id'),
    message: text(fields, 'message'),
    uri: webAddress(fields, 'uri'),
    state: oneOf(REPORT_STATES, fields, 'state'),
    by,
  };
}

export function diffRequestOf(fields: Fields): DiffRequest {
  return {
    task_id: optionalText(fields, 'task_id'),
    since: optionalCount(fields, 'since'),
    paths: optionalTexts(fields, 'paths') ?? [],
    format: oneOf(['files', 'patch'], fields, 'format'),
    max_bytes: integer(fields, 'max_bytes'),
    cursor: optionalText(fields, 'cursor'),
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
