import { specTypeSchemas } from '@modelcontextprotocol/server';
import { quote } from '../../domain/values/errors.ts';
import { isObject, metaOf } from '../../wire/json-rpc.ts';
import { PROTOCOL_META } from '../servers/protocol.ts';

export const INVALID_PARAMS = -32_602;

const SCHEMAS = new Map(
  Object.entries({
    'tools/call': specTypeSchemas.CallToolRequest,
    'tools/list': specTypeSchemas.ListToolsRequest,
    'resources/list': specTypeSchemas.ListResourcesRequest,
    'resources/templates/list': specTypeSchemas.ListResourceTemplatesRequest,
    'resources/read': specTypeSchemas.ReadResourceRequest,
    'resources/subscribe': specTypeSchemas.SubscribeRequest,
    'resources/unsubscribe': specTypeSchemas.UnsubscribeRequest,
    'prompts/list': specTypeSchemas.ListPromptsRequest,
    'prompts/get': specTypeSchemas.GetPromptRequest,
    'completion/complete': specTypeSchemas.CompleteRequest,
    'logging/setLevel': specTypeSchemas.SetLevelRequest,
  }),
);

/** Requests of the old era alone: in the new one they are not known. */
const LEGACY: readonly string[] = ['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel'];

/** What is wrong with the parameters of a request, in one sentence; undefined when nothing is. */
export function paramsProblem(method: string, params: unknown): string | undefined {
  if (params !== undefined && !isObject(params)) {
    return `The parameters of ${method} must be an object; got ${quote(params)}.`;
  }
  if (LEGACY.includes(method) && metaOf(params ?? {})[PROTOCOL_META] !== undefined) return undefined;
  const issue = SCHEMAS.get(method)?.['~standard'].validate({ method, params }).issues?.[0];
  if (issue === undefined) return undefined;
  const path = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part)).slice(1);
  const found = path.reduce<unknown>((at, key) => (isObject(at) ? at[String(key)] : undefined), params);
  const field = path.join('.');
  if (field === '') return `${method} needs parameters.`;
  if (found === undefined) return `${method} needs the parameter "${field}".`;
  return `The parameter "${field}" of ${method} is not valid: ${reasonOf(issue.message)}; got ${quote(found)}.`;
}

function reasonOf(message: string): string {
  const text = message
    .replace(/^Invalid input(: )?/, '')
    .replace(/, received .*$/, '')
    .replace('record', 'object');
  return text === '' ? 'it has the wrong shape' : text.charAt(0).toLowerCase() + text.slice(1);
}
