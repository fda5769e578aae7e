import type { Trouble } from './acp-trouble.ts';

export interface RetryRule {
  /** The first wait; each further one is twice as long. */
  readonly wait_ms: number;
  readonly tries: number;
}

export const RETRY_RULE: RetryRule = { wait_ms: 5_000, tries: 5 };

const LONGEST_WAIT_MS = 5 * 60_000;
/** An agent that says nothing says nothing a third time as well. */
const QUIET_TRIES = 2;

/** How long to wait before the turn is tried again; undefined when it is not. `attempt` counts from 1. */
export function waitBefore({ kind }: Trouble, attempt: number, rule: RetryRule): number | undefined {
  switch (kind) {
    case 'api_error':
    case 'rate_limit': {
      if (attempt > rule.tries) return undefined;
      const first = kind === 'rate_limit' ? rule.wait_ms * 4 : rule.wait_ms;
      return Math.min(LONGEST_WAIT_MS, first * 2 ** (attempt - 1));
    }
    case 'no_reply':
    case 'silent':
      return attempt > QUIET_TRIES ? undefined : rule.wait_ms;
    case 'gone':
      return attempt > QUIET_TRIES ? undefined : 0;
    case 'quota':
      return 0;
    case 'not_logged_in':
    case 'refused':
      return undefined;
  }
}

/** What the agent is told when it is asked again: the task itself is in its session already, unless its process died. */
export function againText({ kind, reason }: Trouble, message: string): string {
  switch (kind) {
    case 'no_reply':
    case 'silent':
      return 'You stopped without a reply. Go on with the task, and say at its end what you did and what you did not.';
    case 'gone':
      return goOnText(reason, message);
    default:
      return 'The connection to the model failed in the middle of the task. Go on with it.';
  }
}

/** The task is told again: nobody knows whether the session had it when the process died. */
export function goOnText(reason: string, message: string): string {
  return `You were cut off in the middle of a task (${reason}). A tool call that was open then may or may not have taken effect: look before you repeat it. Go on with the task, which is:\n\n${message}`;
}
