import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { checkDepth } from '../domain/values/check-depth.ts';
import { FleetError, quote, toFleetError } from '../domain/values/errors.ts';
import { actorOf, type Caller } from '../domain/principal.ts';
import { nearest } from '../domain/values/text.ts';
import { idFromKey } from '../platform/id-from-key.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Operation } from './operation.ts';
import { checkTeam } from './team-rule.ts';

export interface InvokeOptions {
  readonly fleet: Fleet;
  readonly caller: Caller;
  readonly signal?: AbortSignal;
  readonly progress?: (message: string) => void;
}

/** The one way into an operation, from every interface: validate, authorise, run, record. */
export async function invoke(operation: Operation, raw: unknown, options: InvokeOptions): Promise<object> {
  const { fleet, caller } = options;
  const input = parseInput(operation, raw);
  checkScope(operation, input, caller);
  await checkTeam(operation, input, options);
  const key = typeof input['idempotency_key'] === 'string' ? input['idempotency_key'] : undefined;
  const call = { operation: operation.name, actor: actorOf(caller), input };
  const known = key === undefined ? undefined : fleet.ledger?.answerTo({ ...call, key });
  if (known !== undefined) return known;
  try {
    const answer = await operation.handle(
      {
        fleet,
        caller,
        signal: options.signal ?? new AbortController().signal,
        progress: options.progress ?? (() => {}),
        makeId: (part) =>
          key === undefined
            ? randomUUID()
            : idFromKey([fleet.place, call.actor.principal, operation.name, key, part]),
      },
      input as never,
    );
    if (!operation.hints.readOnly) note(() => fleet.ledger?.record({ ...call, outcome: 'ok' }));
    const kept =
      key === undefined || operation.goes_on?.(answer as never) === true
        ? undefined
        : note(() => fleet.ledger?.keepAnswer({ ...call, key }, answer));
    return kept ?? answer;
  } catch (thrown) {
    // What the call made, if anything, has ids made from the key: the next one finds it.
    const { code } = toFleetError(thrown);
    const tell = code !== 'SERVICE_UNAVAILABLE';
    if (key !== undefined) note(() => fleet.ledger?.release({ ...call, key }), tell);
    if (!operation.hints.readOnly) note(() => fleet.ledger?.record({ ...call, outcome: code }), tell);
    throw thrown;
  }
}

/** What was done is done, and what failed has failed, also when that cannot be written down. A caller that
 *  gets the error of the storage anyway is not warned again. */
function note<Result>(write: () => Result, tell = true): Result | undefined {
  try {
    return write();
  } catch (thrown) {
    const error = toFleetError(thrown);
    if (error.code !== 'SERVICE_UNAVAILABLE') throw thrown;
    if (tell) console.error(`fleet: this call is not in the audit log: ${error.message}`);
    return undefined;
  }
}

function parseInput(operation: Operation, raw: unknown): Record<string, unknown> {
  checkDepth(raw, `The input of ${operation.name}`);
  const parsed = operation.input.safeParse(withoutNulls(operation, raw), { reportInput: true });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  if (issue === undefined) throw parsed.error;
  throw new FleetError('INVALID_INPUT', explain(operation, issue), { field: fieldOf(issue) });
}

/** A null for an input that may be left out means that it is: many clients fill in every input that they know. */
function withoutNulls({ input }: Operation, raw: unknown): unknown {
  if (raw === null || raw === undefined) return {};
  if (typeof raw !== 'object' || Array.isArray(raw)) return raw;
  const means = ([name, value]: [string, unknown]): boolean => {
    const schema = Object.hasOwn(input.shape, name) ? input.shape[name] : undefined;
    if (value !== null || schema === undefined) return true;
    return schema.safeParse(null).success || !schema.safeParse(undefined).success;
  };
  return Object.fromEntries(Object.entries(raw).filter(means));
}

function fieldOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'unrecognized_keys' ? (issue.keys[0] ?? '') : issue.path.join('.');
}

function explain(operation: Operation, issue: z.core.$ZodIssue): string {
  const known = Object.keys(operation.input.shape);
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const hint = nearest(key, known);
    const list = known.length === 0 ? 'It takes no input.' : `It takes: ${known.join(', ')}.`;
    return `${operation.name} has no input ${quote(key)}. ${hint === undefined ? list : `Did you mean "${hint}"?`}`;
  }
  const field = issue.path.join('.');
  if (field === '') return `The input of ${operation.name} must be an object; got ${quote(issue.input)}.`;
  if (issue.input === undefined) return `${operation.name} needs the input "${field}".`;
  return `The input "${field}" of ${operation.name} is not valid: ${problemOf(issue)}; got ${quote(issue.input)}.`;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** What zod found, in plain words. */
function problemOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') {
    const hint = nearest(String(issue.input), issue.values.map(String));
    return `must be one of ${issue.values.join(', ')}${hint === undefined ? '' : ` (did you mean ${hint}?)`}`;
  }
  const type = issue.code === 'invalid_type' ? TYPES[issue.expected] : undefined;
  if (type !== undefined) return `must be ${type}`;
  // A list says what it is a list of.
  if ('origin' in issue && issue.origin === 'array') return lowerFirst(issue.message);
  const unit = 'origin' in issue && issue.origin === 'string' ? ' characters' : '';
  if (issue.code === 'too_small')
    return issue.minimum === 1 && unit !== ''
      ? 'must not be empty'
      : `must be at least ${issue.minimum}${unit}`;
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}${unit}`;
  return lowerFirst(issue.message);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Scope `self` reaches the agent that asks and no other. */
function checkScope(operation: Operation, input: Record<string, unknown>, caller: Caller): void {
  const general = operation.scopes.some((scope) => scope !== 'self' && caller.scopes.has(scope));
  if (general) return;
  if (operation.scopes.includes('self') && caller.scopes.has('self') && caller.self !== undefined) {
    const target = input['agent_name'];
    if (target === undefined || sameName(target, caller.self.agent_name)) return;
    throw new FleetError(
      'FORBIDDEN',
      `The agent "${caller.self.agent_name}" may use ${operation.name} for itself only, not for ${quote(target)}.`,
      { field: 'agent_name' },
    );
  }
  const needed = operation.scopes.join(' or ');
  const hint =
    needed === 'self'
      ? 'Only an agent can use it, about itself, from inside its task.'
      : `It needs the scope ${needed}.`;
  throw new FleetError(
    'FORBIDDEN',
    `${caller.principal.kind} "${caller.principal.name}" may not use ${operation.name}. ${hint}`,
    {
      scopes: operation.scopes,
    },
  );
}

function sameName(a: unknown, b: string): boolean {
  return typeof a === 'string' && a.toLowerCase() === b.toLowerCase();
}
