import { makeRedact, type Redact } from '../../domain/values/redact.ts';
import type { ServerDefinition } from './server-definition.ts';

const SECRET_NAME = /key|token|secret|passw|credential|auth|cookie|bearer/i;
const SECRET_FLAG = /^--?[\w-]*(?:key|token|secret|passw|credential|auth)[\w-]*$/i;
/** Takes the secrets of a server's configuration out of a text, also when the server said them itself. */
export function redactServer(definition: ServerDefinition): Redact {
  return makeRedact(secretsOf(definition));
}

function secretsOf({ env, headers, args, url, oauth }: ServerDefinition): readonly string[] {
  const named = [...Object.entries(env), ...Object.entries(headers)]
    .filter(([name]) => SECRET_NAME.test(name))
    .flatMap(([, value]) => [value, value.replace(/^\S+ +/, '')]);
  const flagged = args.flatMap((argument, index) => {
    const [flag = '', ...value] = argument.split('=');
    if (!SECRET_FLAG.test(flag)) return [];
    return value.length > 0 ? [value.join('=')] : [args[index + 1] ?? ''];
  });
  const address = url === undefined ? undefined : URL.parse(url);
  const inAddress = [...(address?.searchParams ?? [])].filter(([name]) => SECRET_NAME.test(name));
  return [
    ...named,
    ...flagged,
    ...inAddress.map(([, value]) => value),
    address?.password ?? '',
    oauth?.client_secret ?? '',
  ];
}
