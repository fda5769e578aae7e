import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { FleetError, quote } from '../../domain/values/errors.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import { isQuickSchema } from './is-quick-schema.ts';
import { judgedSchema } from './judged-schema.ts';
import { withinTime } from './within-time.ts';

const OPTIONS = { strict: false, validateFormats: false, logger: false, addUsedSchema: false } as const;

/** Compiling a larger one would hold up everybody for longer than a wrong argument costs. */
const MOST_TEXT = 256 * 1024;
/** For schemas that may take long; one that takes longer is left out for good. */
const COMPILE_MS = 1_000;
const CHECK_MS = 250;

type Check = (args: JsonObject) => ErrorObject | undefined;

/** Checks arguments against the schemas of tools. A schema that is malformed, too large, or takes too long is left to the
 *  server itself, and so are patterns that could hold up the process. */
export class ArgumentCheck {
  // By the schema itself: a list that is read again brings new ones, and the old go with it.
  readonly #checks = new WeakMap<object, Check>();
  #drafts: { readonly draft7: Ajv; readonly draft2020: Ajv2020 } | undefined;

  /** INVALID_INPUT that names the argument at fault. */
  check(tool: string, schema: unknown, args: JsonObject): void {
    if (!isObject(schema)) return;
    const known = this.#checks.get(schema);
    const check = known ?? this.#compile(schema);
    if (known === undefined) this.#checks.set(schema, check);
    const problem = check(args);
    if (problem !== undefined) throw toError(tool, problem, args);
  }

  #compile(schema: JsonObject): Check {
    try {
      if (JSON.stringify(schema).length > MOST_TEXT) return unchecked;
      const draft = this.#draftOf(schema);
      const own = withoutIdentity(schema);
      // Its form alone says that it cannot take long, however busy the machine is.
      if (isQuickSchema(own)) return validator(own, draft);
      const compiled = withinTime(COMPILE_MS, () => bounded(validator(own, draft)));
      // A compiler that was stopped in the middle is not used again.
      if (compiled === undefined) this.#drafts = undefined;
      return compiled?.value ?? unchecked;
    } catch {
      return unchecked;
    }
  }

  #draftOf({ $schema }: JsonObject): Ajv {
    this.#drafts ??= { draft7: new Ajv(OPTIONS), draft2020: new Ajv2020(OPTIONS) };
    return typeof $schema === 'string' && /draft-0[4-7]/.test($schema)
      ? this.#drafts.draft7
      : this.#drafts.draft2020;
  }
}

function unchecked(): undefined {}

function validator(schema: JsonObject, draft: Ajv): Check {
  const judged = judgedSchema(schema);
  const validate = draft.compile(judged);
  // It would be kept for as long as the compiler.
  draft.removeSchema(judged);
  return (args) => (validate(args) ? undefined : worst(validate));
}

/** Arguments that take too long to check are passed on, and so are all after them. */
function bounded(check: Check): Check {
  let isSlow = false;
  return (args) => {
    if (isSlow) return undefined;
    try {
      const checked = withinTime(CHECK_MS, () => check(args));
      isSlow = checked === undefined;
      return checked?.value;
    } catch {
      return undefined;
    }
  };
}

/** Two servers may use one identity for different schemas. */
function withoutIdentity({ $schema: _schema, $id: _id, ...schema }: JsonObject): JsonObject {
  return schema;
}

function worst({ errors }: ValidateFunction): ErrorObject | undefined {
  return errors?.[0];
}

function toError(tool: string, { instancePath, keyword, message, params }: ErrorObject, args: JsonObject) {
  const path = instancePath.split('/').slice(1).map(unescapePointer);
  const extra: unknown =
    params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  const field = [...path, ...(typeof extra === 'string' ? [extra] : [])].join('.');
  const value = path.reduce<unknown>((at, key) => (Object(at) as Record<string, unknown>)[key], args);
  const got = keyword === 'required' || typeof extra === 'string' ? '' : `; got ${quote(value)}`;
  return new FleetError(
    'INVALID_INPUT',
    field === ''
      ? `The arguments of ${tool} are not valid: ${message ?? keyword}.`
      : `The argument "${field}" of ${tool} is not valid: ${message ?? keyword}${got}.`,
    { field, tool },
  );
}

function unescapePointer(text: string): string {
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}
