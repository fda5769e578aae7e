import { FleetError, quote } from './errors.ts';

export const AGENT_NAME_PATTERN = /^[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*$/;
export const AGENT_NAME_LIMIT = 32;
const RESERVED = new Set(['new', 'create']);

/** Names are unique ignoring case: this is what two spellings of one name have in common. */
export function nameKey(name: string): string {
  return name.toLowerCase();
}

/** For lists: by name, whatever its case. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return nameKey(a.name) < nameKey(b.name) ? -1 : 1;
}

export function checkAgentName(name: string, field = 'name', called = 'agent name'): string {
  const problem = problemWithName(name);
  if (problem === undefined) return name;
  throw new FleetError(
    'INVALID_INPUT',
    `The ${called} ${quote(name)} ${problem}. Use 1 to ${AGENT_NAME_LIMIT} letters and digits, with single hyphens between them, for example "sony" or "data-one".`,
    { field },
  );
}

function problemWithName(name: string): string | undefined {
  if (name.length === 0) return 'is empty';
  if (name.length > AGENT_NAME_LIMIT) return `has ${name.length} characters`;
  if (!AGENT_NAME_PATTERN.test(name)) return 'has characters that a name cannot have';
  if (RESERVED.has(nameKey(name))) return 'is a reserved word';
  return undefined;
}
