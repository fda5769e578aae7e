/** Shorter ones are words that stand in texts by chance. */
const LEAST = 8;
const HIDDEN = '[hidden]';

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

export function makeRedact(secrets: readonly string[]): Redact {
  const long = secrets.filter((secret) => secret.length >= LEAST);
  // In JSON a secret with a quote or a backslash is written otherwise.
  const forms = [...new Set(long.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))];
  if (forms.length === 0) return (text) => text;
  const longestFirst = forms.toSorted((a, b) => b.length - a.length);
  return (text) =>
    longestFirst.reduce((left, form) => (left.includes(form) ? left.replaceAll(form, HIDDEN) : left), text);
}
