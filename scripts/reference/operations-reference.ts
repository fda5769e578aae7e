import { ERROR_TABLE, type ErrorCode } from '../../src/domain/values/errors.ts';
import { listAgents } from '../../src/operations/list-agents.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { showAgent } from '../../src/operations/show-agent.ts';
import { OPERATIONS } from '../../src/operations/table.ts';
import { schemasOf, type ObjectSchema } from '../../src/operations/operation-schemas.ts';
import { successStatus } from '../../src/server/success-status.ts';
import { OPERATION_NOTES } from './operation-notes.ts';

type Schema = Readonly<Record<string, unknown>>;

/** docs/operations.md: what every operation takes and answers. */
export function operationsReference(): string {
  const list = OPERATIONS.map(
    ({ name, title, route }) => `| [${name}](#${name}) | ${title} | \`${route.method} ${route.path}\` |`,
  );
  const index = ['| operation | | route under /api/v1 |', '|---|---|---|', ...list].join('\n');
  return `${[INTRODUCTION, index, ...OPERATIONS.map(sectionOf), agents(), errors()].join('\n\n')}\n`;
}

const INTRODUCTION = `# Operations

<!-- Made by \`npm run reference\` from the table of operations. Edit the program, not this page. -->

Every operation has the same name, inputs and answers in every interface: as an
[MCP tool](mcp.md), as an [HTTP route](http.md), and in a shell by \`fleet call OPERATION '{"json": "input"}'\` or a
[command of its own](cli.md). Inputs are flat; an unknown one is an error. Times are ISO 8601 in UTC. Names of agents,
projects and roles are not case-sensitive.

A caller needs one of the scopes that an operation names. The terminal's user, the page and the token over HTTP have
read, operate and approve; an MCP client has read and operate by default; an agent inside its task has self, which
covers only the agent itself.

Any operation can fail with INVALID_INPUT (an unknown or bad input; \`details.field\` names it), FORBIDDEN (the scope is
missing), SERVICE_UNAVAILABLE (the fleet's home cannot be used, or was written by a newer version) and INTERNAL_ERROR.
Further errors are listed with each operation.`;

function sectionOf(operation: Operation): string {
  const { name, description, route, scopes, hints } = operation;
  const notes = OPERATION_NOTES[name];
  if (notes === undefined)
    throw new Error(`scripts/reference/operation-notes.ts has nothing about ${name}: add it`);
  const { input, output } = schemasOf(operation);
  const kind = hints.readOnly ? 'only reads' : hints.destructive ? 'destructive' : 'changes something';
  return [
    `## ${name}`,
    cell(description),
    [
      `- Route: \`${route.method} /api/v1${route.path}\`, answers ${successStatus(operation)}`,
      `- Command: \`${notes.command}\``,
      `- Scope: ${scopes.join(' or ')}`,
      `- Hints: ${kind}${hints.idempotent && !hints.readOnly ? ', may be repeated' : ''}`,
    ].join('\n'),
    Object.keys(input.properties).length === 0 ? 'It takes no input.' : inputTable(input),
    `Answer:\n\n${outputTable(rowsOf(output, ''))}`,
    notes.errors.length === 0
      ? ''
      : `Errors:\n\n${notes.errors.map(([code, when]) => `- ${code}: ${when}`).join('\n')}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function inputTable({ properties, required }: ObjectSchema): string {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const must = required.includes(name) ? 'required' : defaultOf(schema);
    return `| \`${name}\` | ${typeOf(schema)} | ${must} | ${cell(schema['description'])} |`;
  });
  return ['| input | type | | |', '|---|---|---|---|', ...rows].join('\n');
}

function defaultOf(schema: Schema): string {
  return schema['default'] === undefined ? '' : `default ${JSON.stringify(schema['default'])}`;
}

interface Row {
  readonly path: string;
  readonly type: string;
  readonly description: string;
}

function outputTable(rows: readonly Row[]): string {
  return [
    '| field | type | |',
    '|---|---|---|',
    ...rows.map(({ path, type, description }) => `| \`${path}\` | ${type} | ${description} |`),
  ].join('\n');
}

/** One row a field; the fields of an object follow it, unless it is an agent, which has a section of its own. */
function rowsOf(schema: Schema, prefix: string): Row[] {
  return Object.entries(objectOf(schema['properties'])).flatMap(([name, value]) => {
    const field = objectOf(value);
    const path = prefix + name;
    const own = { path, type: typeOf(field), description: cell(field['description']) };
    const inner = innerOf(field);
    return known(inner) === undefined && isObject(inner)
      ? [own, ...rowsOf(inner, path + suffixOf(field))]
      : [own];
  });
}

function suffixOf(field: Schema): string {
  if (field['type'] === 'array') return '[].';
  return field['type'] === 'object' && !isObject(field) ? '.*.' : '.';
}

/** The thing that a list or a record holds, or that may also be null. */
function innerOf(schema: Schema): Schema {
  if (schema['type'] === 'array') return objectOf(schema['items']);
  if (schema['type'] === 'object' && !isObject(schema)) return objectOf(schema['additionalProperties']);
  return nonNull(schema) ?? schema;
}

/** What a schema allows beside null; undefined for one that does not allow null. */
function nonNull(schema: Schema): Schema | undefined {
  const { anyOf, type } = schema;
  if (Array.isArray(type)) return { ...schema, type: type.find((each) => each !== 'null') };
  if (!Array.isArray(anyOf) || !anyOf.map(objectOf).some((option) => option['type'] === 'null'))
    return undefined;
  return anyOf.map(objectOf).find((option) => option['type'] !== 'null');
}

function isObject(schema: Schema): boolean {
  return schema['type'] === 'object' && schema['properties'] !== undefined;
}

function typeOf(schema: Schema): string {
  const agent = known(schema);
  if (agent !== undefined) return agent;
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices.map((choice) => `\`${String(choice)}\``).join(', ');
  if (nonNull(schema) !== undefined) return `${typeOf(nonNull(schema) ?? {})}, or null`;
  if (Array.isArray(schema['anyOf']))
    return schema['anyOf'].map((each) => typeOf(objectOf(each))).join(', or ');
  if (schema['type'] === 'array') return `list of ${typeOf(objectOf(schema['items']))}`;
  if (schema['format'] === 'date-time') return 'time';
  if (schema['format'] === 'uuid') return 'uuid';
  if (schema['type'] === 'object' && !isObject(schema))
    return `object of ${typeOf(objectOf(schema['additionalProperties']))}`;
  return typeof schema['type'] === 'string' ? schema['type'] : 'any JSON value';
}

const WHOLE = objectOf(schemasOf(showAgent).output.properties['agent']);
const IN_LIST = objectOf(objectOf(schemasOf(listAgents).output.properties['agents'])['items']);

function known(schema: Schema): string | undefined {
  const text = JSON.stringify(schema);
  if (text === JSON.stringify(WHOLE)) return '[agent](#agent)';
  return text === JSON.stringify(IN_LIST) ? '[agent in a list](#agent-in-a-list)' : undefined;
}

function agents(): string {
  const listed = new Set(rowsOf(IN_LIST, '').map(({ path }) => path));
  const whole = rowsOf(WHOLE, '');
  const alone = whole
    .filter(({ path }) => !listed.has(path) && !path.includes('.'))
    .map(({ path }) => `\`${path}\``);
  return [
    `## agent\n\n${outputTable(whole)}\n\n\`cost\` and \`tokens\` are null if the agent does not report them. [metadata.md](metadata.md) says where \`metadata\`, \`pull_request\` and \`git\` come from, and when they are read.`,
    `## agent in a list\n\nThe same without ${alone.join(', ')}. Texts are truncated to 160 characters, and \`metadata\` has plain values.`,
  ].join('\n\n');
}

const WHEN: Readonly<Record<ErrorCode, string>> = {
  INVALID_INPUT:
    'a bad or unknown input, a value over its limit, an offline agent for a task, nothing to cancel',
  UNAUTHORIZED: 'no token, or a bad one',
  FORBIDDEN: 'the caller has not that scope, a foreign Host or Origin, a configuration that is not trusted',
  APPROVAL_REQUIRED: 'a person must answer first (nothing asks yet in this version)',
  NOT_FOUND: 'no such agent, project, role, operation or route',
  CONFLICT: 'a name that is taken, an agent that is busy, a key that was used with another input',
  TOO_LARGE: 'a request over the limit of the interface',
  RATE_LIMITED: 'too many requests at once',
  INTERNAL_ERROR: 'an internal error of Fleet; the message contains no secret and no stack trace',
  SERVICE_UNAVAILABLE: 'a runner cannot be reached, a program is not installed, the home cannot be used',
};

function errors(): string {
  const rows = Object.entries(WHEN).map(([code, when]) => {
    const { http, exit, retry } = ERROR_TABLE[code as ErrorCode];
    return `| ${code} | ${http} | ${exit} | ${retry ? 'yes' : 'no'} | ${when} |`;
  });
  return [
    '## Errors',
    'An error is `{"error": {"code", "message", "details"}}` in every interface. The message quotes the bad value and says what to do; `details.field` names the invalid input, `details.reason` is a more specific code, see [http.md](http.md#reasons).',
    ['| code | HTTP | exit | may succeed later | when |', '|---|---|---|---|---|', ...rows].join('\n'),
  ].join('\n\n');
}

function objectOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function cell(text: unknown): string {
  return typeof text === 'string' ? text.replaceAll('|', '\\|').replaceAll('<', '&lt;') : '';
}
