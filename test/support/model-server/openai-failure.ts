import type { Fault, Step } from './model-script.ts';
import type { Failure } from './wire.ts';

/** What OpenAI answers instead of a message, by either of its wires. */
export function openaiFailure(fault: Fault, { retry_after, resets_at }: Step): Failure {
  switch (fault) {
    case 'server':
      return errorOf(500, 'The server had an error while processing your request', { type: 'server_error' });
    case 'overloaded':
      return errorOf(503, 'The engine is currently overloaded, please try again later', {
        type: 'overloaded',
      });
    case 'rate_limit':
      return {
        ...errorOf(429, `Rate limit reached for requests. Please try again in ${retry_after}s.`, {
          type: 'requests',
          code: 'rate_limit_exceeded',
        }),
        headers: { 'retry-after': String(retry_after) },
      };
    case 'usage_limit': {
      const at = resets_at ?? Math.floor(Date.now() / 1000) + 3600;
      return errorOf(429, 'The usage limit has been reached', {
        type: 'usage_limit_reached',
        plan_type: 'plus',
        resets_at: at,
        resets_in_seconds: Math.max(0, at - Math.floor(Date.now() / 1000)),
      });
    }
    case 'credit':
      return errorOf(429, 'You exceeded your current quota, please check your plan and billing details.', {
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      });
    case 'auth':
      return errorOf(401, 'Incorrect API key provided', {
        type: 'invalid_request_error',
        code: 'invalid_api_key',
      });
  }
}

function errorOf(status: number, message: string, more: Record<string, unknown>): Failure {
  return { status, body: { error: { message, param: null, code: null, ...more } } };
}
