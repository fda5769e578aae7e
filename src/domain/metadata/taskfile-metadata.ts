import { cut, LIST_TEXT_LIMIT } from '../values/text.ts';

/** What a task of the Taskfile with a `meta` key says. */
export interface MetadataField {
  readonly value: unknown;
  readonly error: string | null;
  readonly schema: { readonly description: string; readonly include_in_list: boolean };
}

export type MetadataFields = Readonly<Record<string, MetadataField>>;

/** What a list shows of them. */
export interface ListedFields {
  /** All fields, those that failed and those that are not listed too. */
  readonly count: number;
  readonly collected_at: string | null;
  /** When a value last became another one. */
  readonly changed_at: string | null;
  readonly values: Readonly<Record<string, unknown>>;
}

export const NO_FIELDS: ListedFields = { count: 0, collected_at: null, changed_at: null, values: {} };

export const NOT_COLLECTED = 'not collected yet';

/** The part of the fields that is meant for lists, with texts cut as those of a list are. */
export function listedFields(
  fields: MetadataFields,
  times: Pick<ListedFields, 'collected_at' | 'changed_at'>,
): ListedFields {
  const all = Object.entries(fields);
  const listed = all.filter(([, { schema }]) => schema.include_in_list);
  return {
    count: all.length,
    ...times,
    values: Object.fromEntries(listed.map(([name, { value }]) => [name, cutValue(value)])),
  };
}

function cutValue(value: unknown): unknown {
  return typeof value === 'string' ? cut(value, LIST_TEXT_LIMIT) : value;
}
