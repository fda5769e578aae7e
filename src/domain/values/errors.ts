import { fileOfErrno, storageMessage, reasonOfErrno, type StorageReason } from './storage-problem.ts';

/** The one table of error codes: HTTP status, exit code of the CLI, and whether the same call may succeed later. */
export const ERROR_TABLE = {
  INVALID_INPUT: { http: 400, exit: 2, retry: false },
  UNAUTHORIZED: { http: 401, exit: 5, retry: false },
  FORBIDDEN: { http: 403, exit: 5, retry: false },
  APPROVAL_REQUIRED: { http: 403, exit: 6, retry: true },
  NOT_FOUND: { http: 404, exit: 3, retry: false },
  CONFLICT: { http: 409, exit: 4, retry: true },
  TOO_LARGE: { http: 413, exit: 8, retry: false },
  RATE_LIMITED: { http: 429, exit: 8, retry: true },
  INTERNAL_ERROR: { http: 500, exit: 1, retry: false },
  SERVICE_UNAVAILABLE: { http: 503, exit: 7, retry: true },
} as const satisfies Record<string, { http: number; exit: number; retry: boolean }>;

export type ErrorCode = keyof typeof ERROR_TABLE;

export interface ErrorDetails {
  /** The input at fault. */
  readonly field?: string;
  /** A finer code than the error's own. */
  readonly reason?: string;
  readonly [key: string]: unknown;
}

export interface ErrorBody {
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails };
}

/** A failure that crosses the wire: told apart by code, never by text. */
export class FleetError extends Error {
  override readonly name = 'FleetError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }

  toBody(): ErrorBody {
    return { error: { code: this.code, message: this.message, details: this.details } };
  }
}

/** What a caller may see of any thrown value: a defect keeps its text and stack to itself. */
export function toFleetError(thrown: unknown): FleetError {
  if (thrown instanceof FleetError) return thrown;
  const reason = reasonOfErrno(thrown);
  if (reason !== undefined) return storageError(reason, fileOfErrno(thrown), thrown);
  if (isMissingCode(thrown)) return installing(thrown);
  return new FleetError(
    'INTERNAL_ERROR',
    'Internal error. Run the command again with FLEET_DEBUG=1 for details.',
    {},
    thrown,
  );
}

/** The disk or a file failed: not the fault of the request, which may succeed once that is fixed. */
export function storageError(reason: StorageReason, file: string | undefined, cause?: unknown): FleetError {
  const details = file === undefined ? { reason } : { reason, file };
  return new FleetError('SERVICE_UNAVAILABLE', storageMessage(reason, file), details, cause);
}

/** Files of Fleet itself are not there: while it is installed or upgraded. */
export function installing(cause?: unknown): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    'Fleet is being installed: some of its files are missing. Try again in a moment.',
    { reason: 'installing' },
    cause,
  );
}

function isMissingCode(thrown: unknown): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'ERR_INVALID_PACKAGE_CONFIG';
}

/** A failure that another process of ours wrote down; undefined when it is none. */
export function errorOfBody(body: unknown): FleetError | undefined {
  if (!isRecord(body) || !isRecord(body['error'])) return undefined;
  const { code, message, details } = body['error'];
  if (!isErrorCode(code) || typeof message !== 'string') return undefined;
  return new FleetError(code, message, isRecord(details) ? details : {});
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_TABLE, value);
}

/** Outside text in a message: quoted, with control characters escaped, and short. */
export function quote(value: unknown): string {
  if (value === null) return 'null';
  const text = typeof value === 'string' ? value : textOf(value);
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}…` : text);
}

/** JSON that is nested too deep cannot be written. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return 'a value that cannot be shown';
  }
}
