import type { ServerDefinition } from './server-definition.ts';

const SECRET_NAME = /key|token|secret|passw|credential|auth|cookie|bearer/i;
const SECRET_FLAG = /^--?[\w-]*(?:key|token|secret|passw|credential|auth)[\w-]*$/i;
/** Shorter ones are words that stand in texts by chance. */
const LEAST = 8;
const HIDDEN = '[hidden]';

/** Takes the secrets of a server's configuration out of a text, also when the server said them itself. */
export type Redact = (text: string) => string;

export function makeRedact(definition: ServerDefinition): Redact {
  const secrets = secretsOf(definition).filter((secret) => secret.length >= LEAST);
  // In JSON a secret with a quote or a backslash is written otherwise.
  const forms = [...new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))];
  if (forms.length === 0) return (text) => text;
  const longestFirst = forms.toSorted((a, b) => b.length - a.length);
  return (text) =>
    longestFirst.reduce((left, form) => (left.includes(form) ? left.replaceAll(form, HIDDEN) : left), text);
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
