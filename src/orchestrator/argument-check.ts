import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { FleetError, quote } from '../domain/errors.ts';
import { isObject, type JsonObject } from './json-rpc.ts';
import { judgedSchema } from './judged-schema.ts';

const OPTIONS = { strict: false, validateFormats: false, logger: false, addUsedSchema: false } as const;

/** Compiling a larger one would hold up everybody for longer than a wrong argument costs. */
const MOST_TEXT = 256 * 1024;

type Check = (args: JsonObject) => ErrorObject | undefined;

/** Checks arguments against the schemas of tools. A schema that is none, or too large, is left to the server itself, and
 *  so are patterns that could hold up the process. */
export class ArgumentCheck {
  // By the schema itself: a list that is read anew brings new ones, and the old go with it.
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
    const text = JSON.stringify(schema);
    if (text.length > MOST_TEXT) return () => undefined;
    try {
      const validate = this.#draftOf(schema).compile(judgedSchema(withoutIdentity(schema)));
      return (args) => (validate(args) ? undefined : worst(validate));
    } catch {
      return () => undefined;
    }
  }

  #draftOf({ $schema }: JsonObject): Ajv {
    this.#drafts ??= { draft7: new Ajv(OPTIONS), draft2020: new Ajv2020(OPTIONS) };
    return typeof $schema === 'string' && /draft-0[4-7]/.test($schema)
      ? this.#drafts.draft7
      : this.#drafts.draft2020;
  }
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
