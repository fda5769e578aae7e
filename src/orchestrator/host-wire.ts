import { FleetError, isErrorCode, toFleetError } from '../domain/errors.ts';
import { isObject } from './json-rpc.ts';
import { RpcError } from './rpc-error.ts';

/** What two processes that do not speak the same version must not try. */
export const HOST_PROTOCOL = 2;

const OURS = -32_050;
const UPSTREAMS = -32_051;

/** A failure as it crosses between the host and whoever uses it. */
export function toWire(thrown: unknown): RpcError {
  if (thrown instanceof RpcError) return new RpcError(UPSTREAMS, thrown.message, thrown.toJson());
  const error = toFleetError(thrown);
  return new RpcError(OURS, error.message, error.toBody().error);
}

export function fromWire(thrown: unknown): unknown {
  if (!(thrown instanceof RpcError)) return thrown;
  if (thrown.code === UPSTREAMS) return RpcError.from(thrown.data);
  const body = isObject(thrown.data) ? thrown.data : {};
  if (!isErrorCode(body['code'])) return thrown;
  return new FleetError(body['code'], thrown.message, isObject(body['details']) ? body['details'] : {});
}
