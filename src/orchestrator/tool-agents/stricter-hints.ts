import { isObject, type JsonObject } from '../../wire/json-rpc.ts';

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

export type Hint = (typeof HINTS)[number];

/** The hints that a tool gives; one that is not there was not given. */
export type Hints = Readonly<Partial<Record<Hint, boolean>>>;

/** How strict a value is. A hint that is not given promises nothing, and `destructiveHint: true` is what asks a person. */
const STRICTNESS: Readonly<Record<Hint, (value: boolean | undefined) => number>> = {
  readOnlyHint: (value) => (value === true ? 0 : 1),
  destructiveHint: (value) => (value === true ? 2 : value === undefined ? 1 : 0),
  idempotentHint: (value) => (value === true ? 0 : 1),
  openWorldHint: (value) => (value === false ? 0 : 1),
};

export function hintsIn(annotations: unknown): Hints {
  if (!isObject(annotations)) return {};
  const given = HINTS.flatMap((hint) => {
    const value = annotations[hint];
    return typeof value === 'boolean' ? [[hint, value] as const] : [];
  });
  return Object.fromEntries(given);
}

/** The stricter value of each hint, and which hints are looser now than they were. */
export function stricterHints(
  before: Hints,
  now: Hints,
): { readonly hints: Hints; readonly loosened: readonly Hint[] } {
  const loosened = HINTS.filter((hint) => STRICTNESS[hint](now[hint]) < STRICTNESS[hint](before[hint]));
  const hints = HINTS.flatMap((hint) => {
    const value = loosened.includes(hint) ? before[hint] : now[hint];
    return value === undefined ? [] : [[hint, value] as const];
  });
  return { hints: Object.fromEntries(hints), loosened };
}

/** Annotations with these hints instead of their own. */
export function withHints(annotations: unknown, hints: Hints): JsonObject {
  const others = Object.entries(isObject(annotations) ? annotations : {}).filter(
    ([key]) => !HINTS.some((hint) => hint === key),
  );
  return { ...Object.fromEntries(others), ...hints };
}
