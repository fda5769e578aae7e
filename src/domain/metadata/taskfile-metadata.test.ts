import { expect, it } from 'vitest';
import { listedFields, type MetadataField } from './taskfile-metadata.ts';

it('a list has the fields that are meant for it, with texts cut, and counts all of them', () => {
  const times = { collected_at: '2026-11-01', changed_at: null };
  expect(
    listedFields(
      { text: field('x'.repeat(200)), number: field(7), hidden: field('secret', false), none: field(null) },
      times,
    ),
  ).toEqual({ count: 4, ...times, values: { text: `${'x'.repeat(159)}…`, number: 7, none: null } });
});

function field(value: unknown, include_in_list = true): MetadataField {
  return { value, error: null, schema: { description: '', include_in_list } };
}
