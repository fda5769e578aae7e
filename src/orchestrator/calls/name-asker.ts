import { isObject, type JsonObject } from '../../wire/json-rpc.ts';

/** A question of a server, with the name of the server in front of it: a client would show it as the fleet's own. */
export function nameAsker(server: string, method: string, params: JsonObject): JsonObject {
  const { message } = params;
  if (method !== 'elicitation/create' || typeof message !== 'string') return params;
  return { ...params, message: `The MCP server "${server}" asks: ${message}` };
}

/** The same for the questions that a server of the new era asks by its answer. */
export function nameAskerIn(server: string, result: JsonObject): JsonObject {
  const { resultType, inputRequests } = result;
  if (resultType !== 'input_required' || !isObject(inputRequests)) return result;
  const named = Object.entries(inputRequests).map(([key, request]) => {
    if (!isObject(request) || !isObject(request['params'])) return [key, request];
    return [key, { ...request, params: nameAsker(server, String(request['method']), request['params']) }];
  });
  return { ...result, inputRequests: Object.fromEntries(named) };
}
