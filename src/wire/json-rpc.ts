export type JsonObject = Readonly<Record<string, unknown>>;

export type RpcId = string | number;

/** A message of JSON-RPC as it lies on a wire: nothing of it is dropped, known or not. */
export interface RpcMessage extends JsonObject {
  readonly jsonrpc: '2.0';
}

export interface RpcRequest extends RpcMessage {
  readonly id: RpcId;
  readonly method: string;
}

export interface RpcNotification extends RpcMessage {
  readonly method: string;
}

export interface RpcResponse extends RpcMessage {
  readonly id: RpcId;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isRpcMessage(value: unknown): value is RpcMessage {
  return isObject(value) && value['jsonrpc'] === '2.0';
}

export function isRpcRequest(message: RpcMessage): message is RpcRequest {
  return typeof message['method'] === 'string' && isRpcId(message['id']);
}

export function isRpcNotification(message: RpcMessage): message is RpcNotification {
  return typeof message['method'] === 'string' && message['id'] === undefined;
}

export function isRpcResponse(message: RpcMessage): message is RpcResponse {
  return message['method'] === undefined && isRpcId(message['id']);
}

export function isRpcId(value: unknown): value is RpcId {
  return typeof value === 'string' || typeof value === 'number';
}

/** The parameters of a message; none are an empty object. */
export function paramsOf(message: RpcMessage): JsonObject {
  return isObject(message['params']) ? message['params'] : {};
}

export function metaOf(params: JsonObject): JsonObject {
  return isObject(params['_meta']) ? params['_meta'] : {};
}
