import type { ChecksAnswer } from '../../runner/checks/checks-request.ts';
import type { CheckAgentRequest } from '../backend.ts';

const ANSWER_WITHIN_MS = 60_000;
const ASK_EVERY_MS = 1_000;

/** Asks a runner for a run of checks until it is over, for a minute at most. The run goes on when nobody waits any more. */
export async function followChecks(
  ask: (within_ms: number) => Promise<ChecksAnswer>,
  { signal, progress }: Pick<CheckAgentRequest, 'signal' | 'progress'>,
): Promise<ChecksAnswer> {
  const until = performance.now() + ANSWER_WITHIN_MS;
  let said = '';
  for (;;) {
    const left = Math.max(1, Math.min(ASK_EVERY_MS, Math.round(until - performance.now())));
    const answer = await ask(left);
    if (answer.running && answer.message !== said) progress(answer.message);
    said = answer.message;
    if (!answer.running || signal.aborted || performance.now() >= until) return answer;
  }
}
