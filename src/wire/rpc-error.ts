import { isObject } from './json-rpc.ts';

/** The other side answered with an error of the protocol. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }

  static from(value: unknown): RpcError {
    const error = isObject(value) ? value : {};
    const { code, message, data } = error;
    return new RpcError(
      typeof code === 'number' ? code : -32_603,
      typeof message === 'string' ? message : 'the answer is an error without a message',
      data,
    );
  }

  toJson(): { code: number; message: string; data?: unknown } {
    return {
      code: this.code,
      message: this.message,
      ...(this.data === undefined ? {} : { data: this.data }),
    };
  }
}

export const METHOD_NOT_FOUND = -32_601;

export function methodNotFound(method: string): RpcError {
  return new RpcError(METHOD_NOT_FOUND, `This client has no ${method}.`);
}

/** The wire ended, or could not carry the message. */
export class WireLost extends Error {
  override readonly name = 'WireLost';
}

/** The answer is neither a result nor an error. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}

/** The answer was larger than a message may be, and was not read. The connection goes on. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
  readonly limit: number;

  constructor(limit: number) {
    super(`its answer is larger than ${limit} bytes`);
    this.limit = limit;
  }
}

/** Nothing came in time; the other side was told to stop. */
export class WireTimeout extends Error {
  override readonly name = 'WireTimeout';
}

/** The status of an answer over HTTP that carried no message. */
export function httpStatusOf(thrown: unknown): number | undefined {
  const cause = thrown instanceof WireLost ? thrown.cause : undefined;
  const status = typeof cause === 'object' && cause !== null && 'status' in cause ? cause.status : undefined;
  return typeof status === 'number' ? status : undefined;
}
