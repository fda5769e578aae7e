import { FleetError, isErrorCode, toFleetError } from '../../domain/values/errors.ts';
import { isObject } from '../../wire/json-rpc.ts';
import { RpcError } from '../../wire/rpc-error.ts';

/** What two processes that do not speak the same version must not try. */
export const HOST_PROTOCOL = 3;

const OURS = -32_050;
const UPSTREAMS = -32_051;
const MOVED = -32_052;

/** The host is about to end and did not start the request: it can be sent to the next host. */
export class HostMoved extends Error {
  override readonly name = 'HostMoved';
}

/** A failure as it crosses between the host and its clients. */
export function toWire(thrown: unknown): RpcError {
  if (thrown instanceof HostMoved) return new RpcError(MOVED, thrown.message);
  if (thrown instanceof RpcError) return new RpcError(UPSTREAMS, thrown.message, thrown.toJson());
  const error = toFleetError(thrown);
  return new RpcError(OURS, error.message, error.toBody().error);
}

export function fromWire(thrown: unknown): unknown {
  if (!(thrown instanceof RpcError)) return thrown;
  if (thrown.code === MOVED) return new HostMoved(thrown.message);
  if (thrown.code === UPSTREAMS) return RpcError.from(thrown.data);
  const body = isObject(thrown.data) ? thrown.data : {};
  if (!isErrorCode(body['code'])) return thrown;
  return new FleetError(body['code'], thrown.message, isObject(body['details']) ? body['details'] : {});
}
