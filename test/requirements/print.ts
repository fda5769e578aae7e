import { findCitations } from './citations.ts';
import { requirements } from './rows.ts';

// Prints the table of requirements: each row with the tests that show it, or the part that it waits for.
const tests = new Map<string, string[]>();
for (const { ids, file } of findCitations()) {
  for (const id of ids) tests.set(id, [...new Set([...(tests.get(id) ?? []), file])]);
}
const state = (id: string, waitsFor: string | undefined): string =>
  waitsFor === undefined ? (tests.get(id)?.join(', ') ?? 'NO TEST') : `not yet: ${waitsFor}`;

if (process.argv.includes('--json')) {
  console.log(
    JSON.stringify(
      requirements.map((row) => ({ ...row, tests: tests.get(row.id) ?? [] })),
      null,
      2,
    ),
  );
} else {
  for (const { id, source, text, waitsFor } of requirements)
    console.log(`${id}\n  ${text}\n  ${source}\n  ${state(id, waitsFor)}`);
  const waiting = requirements.filter(({ waitsFor }) => waitsFor !== undefined).length;
  const shown = requirements.filter(({ id }) => tests.has(id)).length;
  console.log(
    `\n${requirements.length} requirements: ${shown} with tests, ${waiting} not yet, ${requirements.length - shown - waiting} without a test`,
  );
}
