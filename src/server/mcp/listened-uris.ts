import { isObject, isRpcMessage, paramsOf } from '../../wire/json-rpc.ts';

/** The resources that a `subscriptions/listen` of the new era names. */
export function listenedUris(message: unknown): readonly string[] {
  if (!isRpcMessage(message) || message['method'] !== 'subscriptions/listen') return [];
  const { notifications } = paramsOf(message);
  const uris = isObject(notifications) ? notifications['resourceSubscriptions'] : undefined;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
}
