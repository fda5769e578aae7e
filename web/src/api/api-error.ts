/** A failed request: the code and the sentence that the server gave. */
export class ApiError extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  static async from(response: Response): Promise<ApiError> {
    const body: unknown = await response.json().catch(() => null);
    const error = fieldsOf(fieldsOf(body)['error']);
    const message = error['message'];
    return new ApiError(
      typeof error['code'] === 'string' ? error['code'] : 'INTERNAL_ERROR',
      typeof message === 'string' ? message : `The server answered ${response.status}.`,
      fieldsOf(error['details']),
    );
  }

  /** The input at fault, if the server named one. */
  get field(): string | undefined {
    return typeof this.details['field'] === 'string' ? this.details['field'] : undefined;
  }

  get reason(): string | undefined {
    return typeof this.details['reason'] === 'string' ? this.details['reason'] : undefined;
  }
}

export const UNREACHABLE = 'The server cannot be reached.';

/** One sentence for a person, whatever was thrown. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof ApiError) return thrown.message;
  if (thrown instanceof TypeError) return UNREACHABLE;
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
