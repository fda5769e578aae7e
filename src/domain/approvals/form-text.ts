import type { FormField } from './form.ts';

/** What a field takes, in words. */
export function typeText({ type, choices, min, max }: FormField): string {
  const range = [
    ...(min > -Infinity ? [`at least ${min}`] : []),
    ...(max < Infinity ? [`at most ${max}`] : []),
  ];
  const limits = (unit: string): string => (range.length === 0 ? '' : ` (${range.join(', ')}${unit})`);
  const ids = choices.map(({ id }) => id).join(', ');
  switch (type) {
    case 'text':
      return `text${limits(' characters')}`;
    case 'integer':
      return `a whole number${limits('')}`;
    case 'number':
      return `a number${limits('')}`;
    case 'boolean':
      return 'yes or no';
    case 'choice':
      return `one of: ${ids}`;
    case 'choices':
      return `${ids === '' ? 'a list of texts' : `any of: ${ids}`}${limits('')}`;
  }
}

/** A JSON object with the fields that must be filled, as an example of an answer. */
export function exampleOf(fields: readonly FormField[]): string {
  const required = fields.filter((field) => field.required);
  const values = (required.length > 0 ? required : fields).map(
    (field) => `${JSON.stringify(field.name)}: ${JSON.stringify(exampleValue(field))}`,
  );
  return `{${values.join(', ')}}`;
}

function exampleValue({ type, choices }: FormField): unknown {
  const first = choices[0]?.value;
  switch (type) {
    case 'text':
      return 'TEXT';
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'choice':
      return first;
    case 'choices':
      return [first ?? 'TEXT'];
  }
}
