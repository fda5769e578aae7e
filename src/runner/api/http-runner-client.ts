import { FleetError, isErrorCode, toFleetError } from '../../domain/values/errors.ts';
import { reasonOfErrno } from '../../domain/values/storage-problem.ts';
import { stateOf } from '../../domain/state.ts';
import { httpModule } from '../../platform/http-module.ts';
import { API_VERSIONS } from './api-versions.ts';

export interface RunnerAddress {
  readonly socket: string;
  /** Absent on the agent's own socket. */
  readonly key?: string;
}

/** Nobody listens there: the runner sleeps, is starting, or is dead. The request was not delivered. */
export class RunnerAbsent extends Error {
  override readonly name = 'RunnerAbsent';
}

/** Sends one request to a runner, in the newest version that both know. Throws RunnerAbsent when it certainly did not
 *  arrive. */
export async function callRunner(
  address: RunnerAddress,
  name: string,
  fields: object,
  timeout_ms = 30_000,
): Promise<unknown> {
  let refusal = '';
  for (const version of API_VERSIONS) {
    try {
      return await send(address, {
        path: `/${version}/${name}`,
        payload: JSON.stringify(fields),
        timeout_ms,
      });
    } catch (thrown) {
      if (!(thrown instanceof FleetError) || thrown.details.reason !== 'runner_api') throw thrown;
      refusal = thrown.message;
    }
  }
  throw new FleetError(
    'SERVICE_UNAVAILABLE',
    `The agent's runner is of another version of Fleet and cannot do that: ${refusal} restart_agent brings it to this version.`,
    { reason: 'runner_api' },
  );
}

interface Sent {
  readonly path: string;
  readonly payload: string;
  readonly timeout_ms: number;
}

async function send(address: RunnerAddress, { path, payload, timeout_ms }: Sent): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const outgoing = httpModule().request(
    {
      socketPath: address.socket,
      path,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(payload),
        ...(address.key === undefined ? {} : { authorization: `Bearer ${address.key}` }),
      },
      timeout: timeout_ms,
      agent: false,
    },
    (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', (cause) => reject(cutOff(cause)));
      response.on('end', () => {
        try {
          resolve(answerOf(response.statusCode ?? 0, JSON.parse(Buffer.concat(chunks).toString('utf8'))));
        } catch (thrown) {
          reject(thrown instanceof FleetError ? thrown : cutOff(thrown));
        }
      });
    },
  );
  outgoing.on('timeout', () =>
    outgoing.destroy(
      new FleetError('SERVICE_UNAVAILABLE', `The runner did not answer within ${timeout_ms / 1000} s.`, {
        reason: 'runner_silent',
      }),
    ),
  );
  outgoing.on('error', (cause: NodeJS.ErrnoException) => {
    if (cause instanceof FleetError) reject(cause);
    else if (isNobodyThere(cause)) reject(new RunnerAbsent(cause.message));
    else reject(reasonOfErrno(cause) === undefined ? cutOff(cause) : toFleetError(cause));
  });
  outgoing.end(payload);
  return await promise;
}

/** Nobody took the connection, so nobody has the request. A runner that leaves resets those that wait for it. */
function isNobodyThere({ code, syscall }: NodeJS.ErrnoException): boolean {
  return code === 'ENOENT' || code === 'ECONNREFUSED' || (code === 'ECONNRESET' && syscall === 'connect');
}

function answerOf(status: number, answer: unknown): unknown {
  // The state that a runner of another version tells may lack what this one knows.
  if (status === 200 && isRecord(answer) && isRecord(answer['state']))
    return { ...answer, state: stateOf(answer['state']) };
  if (status === 200) return answer;
  const error = isRecord(answer) && isRecord(answer['error']) ? answer['error'] : {};
  const { code, message, details } = error;
  throw new FleetError(
    isErrorCode(code) ? code : 'SERVICE_UNAVAILABLE',
    typeof message === 'string' ? message : `The runner answered with status ${status}.`,
    isRecord(details) ? details : {},
  );
}

/** The connection broke after the request was sent: it may have taken effect. */
function cutOff(cause: unknown): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    'The connection to the runner was lost during the answer; the request may have taken effect. Check the agent with show_agent, then retry.',
    { reason: 'runner_cut_off' },
    cause,
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
