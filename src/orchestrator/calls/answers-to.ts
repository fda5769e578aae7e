import { FleetError } from '../../domain/values/errors.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import { canAnswer, type RelayClient } from './relay-client.ts';

/** Puts the questions of a server of the new era to a client of the old one. */
export async function answersTo(requests: unknown, client: RelayClient): Promise<JsonObject> {
  const answers: Record<string, unknown> = {};
  for (const [key, request] of Object.entries(isObject(requests) ? requests : {})) {
    if (!isObject(request)) continue;
    const params = isObject(request['params']) ? request['params'] : {};
    const method = String(request['method']);
    if (client.ask === undefined || !canAnswer(client, method)) {
      throw new FleetError('FORBIDDEN', `The tool needs ${method}, which this client does not support.`, {
        reason: 'cannot_be_asked',
      });
    }
    answers[key] = await client.ask(method, params, client.signal);
  }
  return answers;
}
