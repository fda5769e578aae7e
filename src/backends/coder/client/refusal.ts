import { z } from 'zod';
import { FleetError } from '../../../domain/values/errors.ts';
import type { Incoming } from './send.ts';

const refusalSchema = z.object({
  message: z.string().default(''),
  detail: z.string().default(''),
  validations: z
    .array(z.object({ field: z.string(), detail: z.string() }))
    .nullish()
    .transform((list) => list ?? []),
});

export interface Asked {
  /** The address of the server. */
  readonly server: string;
  readonly what: string;
  /** Names the variable that holds the token, never the token. */
  readonly token_env: string;
}

/** The error that an answer of Coder stands for. `details.status` is Coder's own. */
export function refusalOf({ status, headers, text }: Incoming, asked: Asked): FleetError {
  const { message, detail, validations } = bodyOf(text);
  const said = [message, detail, ...validations.map((each) => `${each.field}: ${each.detail}`)]
    .filter((part) => part !== '')
    .join(' ')
    .slice(0, 500);
  const details = { status, ...(validations[0] === undefined ? {} : { parameter: validations[0].field }) };
  const why = said === '' ? `status ${status}` : said;
  if (isTaken(status, detail)) {
    return new FleetError('CONFLICT', `Coder refused ${asked.what}: ${why}`, {
      ...details,
      reason: 'coder_conflict',
    });
  }
  switch (status) {
    case 401:
    case 303:
      return new FleetError(
        'UNAUTHORIZED',
        `The Coder server at ${asked.server} does not accept the token in ${asked.token_env}. Create a new one (docs/coder.md lists the scopes) and set ${asked.token_env}.`,
        { ...details, reason: 'coder_token' },
      );
    case 403:
      return new FleetError('FORBIDDEN', `Coder does not allow ${asked.what} with this token: ${why}`, {
        ...details,
        reason: 'coder_forbidden',
      });
    case 404:
    case 410:
      return new FleetError('NOT_FOUND', `Coder has nothing for ${asked.what}: ${why}`, {
        ...details,
        reason: 'coder_not_found',
      });
    case 413:
      return new FleetError('TOO_LARGE', `The request is too large for Coder: ${asked.what}.`, details);
    case 429:
      return new FleetError('RATE_LIMITED', `Coder is rate limiting requests: ${why}`, {
        ...details,
        reason: 'coder_rate_limit',
        retry_after_seconds: retryAfter(headers['retry-after']),
      });
    default:
      return status >= 500 || status < 400
        ? new FleetError(
            'SERVICE_UNAVAILABLE',
            `The Coder server at ${asked.server} failed at ${asked.what}: ${why}`,
            { ...details, reason: 'coder_unavailable' },
          )
        : new FleetError('INVALID_INPUT', `Coder refused ${asked.what}: ${why}`, {
            ...details,
            reason: 'coder_refused',
          });
  }
}

export function retryAfter(header: string | undefined): number {
  const seconds = Number(header);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 1;
}

/** Losers of a race for a name are told 500 with the database's own words. */
function isTaken(status: number, detail: string): boolean {
  return status === 409 || (status === 500 && /duplicate key|unique constraint/i.test(detail));
}

function bodyOf(text: string): z.output<typeof refusalSchema> {
  try {
    return refusalSchema.parse(JSON.parse(text));
  } catch {
    return { message: /^\s*</.test(text) ? '' : text.slice(0, 200), detail: '', validations: [] };
  }
}
