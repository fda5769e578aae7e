import { Server, type Transport } from '@modelcontextprotocol/server';
import { isObject, isRpcMessage, isRpcRequest, type RpcRequest } from '../../wire/json-rpc.ts';
import { INVALID_PARAMS, paramsProblem } from '../../orchestrator/calls/params-problem.ts';

/** A server that refuses malformed parameters with one sentence, and takes null for the arguments of a call as none: the
 *  SDK's own would answer with the whole report of its schema. */
export class CheckedServer extends Server {
  override async connect(transport: Transport): Promise<void> {
    await super.connect(transport);
    const deliver = transport.onmessage;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
    transport.onmessage = (message, extra) => {
      if (!isRpcMessage(message) || !isRpcRequest(message)) return deliver?.(message, extra);
      const request = withArguments(message);
      const problem = paramsProblem(request.method, request['params']);
      if (problem === undefined) return deliver?.(request, extra);
      const { id } = request;
      const error = { code: INVALID_PARAMS, message: problem };
      // A client that is gone gets no answer.
      transport.send({ jsonrpc: '2.0', id, error }, { relatedRequestId: id }).catch(() => {});
    };
  }
}

function withArguments(message: RpcRequest): RpcRequest {
  const { method, params } = message;
  if (method !== 'tools/call' || !isObject(params) || params['arguments'] !== null) return message;
  return { ...message, params: { ...params, arguments: {} } };
}
