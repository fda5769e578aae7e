import type { Decision, Question } from './approval.ts';

/** A standing answer of a role: `*` stands for anything. */
export interface PermissionRule {
  /** Name of the tool, such as `Bash` or `mcp__files__*`. */
  readonly tool: string;
  /** For a tool that runs commands. */
  readonly command?: string;
  /** For a tool that reads or writes a file. */
  readonly path?: string;
  readonly decision: Decision;
}

/** What the rules say to a question; the first that fits counts. Undefined when a person has to be asked. */
export function standingDecision(rules: readonly PermissionRule[], question: Question): Decision | undefined {
  if (question.kind !== 'permission') return undefined;
  const wish = wishOf(question);
  return rules.find((rule) => fitsWish(rule, wish))?.decision;
}

interface Wish {
  readonly tool: string;
  readonly command: string | undefined;
  readonly paths: readonly string[];
}

function fitsWish({ tool, command, path, decision }: PermissionRule, wish: Wish): boolean {
  if (!fits(tool, wish.tool)) return false;
  if (command !== undefined && (wish.command === undefined || !fitsCommand(command, wish.command, decision)))
    return false;
  if (path === undefined) return true;
  // All of them must be allowed; one is enough to deny.
  return decision === 'allow'
    ? wish.paths.length > 0 && wish.paths.every((each) => !climbs(each) && fits(path, each))
    : wish.paths.some((each) => fits(path, each));
}

/** What wants to be done, as far as the question says it. */
function wishOf({ tool, input }: Question): Wish {
  const asked = isFields(input) ? input : {};
  const raw = isFields(asked['rawInput']) ? asked['rawInput'] : {};
  const locations = Array.isArray(asked['locations']) ? asked['locations'].filter(isFields) : [];
  const named = [raw['file_path'], raw['path'], raw['notebook_path']].filter(
    (path) => typeof path === 'string',
  );
  return {
    tool: typeof asked['tool'] === 'string' ? asked['tool'] : tool,
    command: typeof raw['command'] === 'string' ? raw['command'] : undefined,
    paths: named.length > 0 ? named : locations.map((location) => String(location['path'])),
  };
}

/** What allows one command allows no list of them: `npm test*` must not allow `npm test; rm -rf /`. */
function fitsCommand(pattern: string, command: string, decision: Decision): boolean {
  const joins = /[;&|`\n<>]|\$\(/;
  return fits(pattern, command) && (decision === 'deny' || pattern === '*' || !joins.test(command));
}

function climbs(path: string): boolean {
  return path.split('/').includes('..');
}

function fits(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
