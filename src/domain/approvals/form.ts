export type FormFieldType = 'text' | 'integer' | 'number' | 'boolean' | 'choice' | 'choices';

export interface FormChoice {
  readonly id: string;
  readonly name: string;
  /** The value as the form has it. */
  readonly value: unknown;
}

/** One field of the form that comes with an agent's question. */
export interface FormField {
  readonly name: string;
  readonly type: FormFieldType;
  readonly required: boolean;
  /** What the form says about the field; empty when it says nothing. */
  readonly label: string;
  /** For a choice, or several of them. */
  readonly choices: readonly FormChoice[];
  /** Of a number, of the length of a text, or of how many choices. */
  readonly min: number;
  readonly max: number;
}

/** The fields of a form, from its JSON schema. A question without a form has none: a plain yes answers it. */
export function formFields(schema: unknown): readonly FormField[] {
  if (!isFields(schema) || !isFields(schema['properties'])) return [];
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(schema['properties']).flatMap(([name, field]) =>
    isFields(field) ? [fieldOf(name, field, required.includes(name))] : [],
  );
}

/** The fields that a single value can answer without leaving a required one empty. */
export function answerableAlone(fields: readonly FormField[]): readonly FormField[] {
  const required = fields.filter((field) => field.required);
  if (required.length === 0) return fields;
  return required.length === 1 ? required : [];
}

export function isChoice({ type }: FormField): boolean {
  return type === 'choice' || type === 'choices';
}

type Fields = Readonly<Record<string, unknown>>;

function fieldOf(name: string, schema: Fields, required: boolean): FormField {
  const items = schema['type'] === 'array' && isFields(schema['items']) ? schema['items'] : undefined;
  const choices = choicesOf(items ?? schema);
  const type = items === undefined ? typeOf(schema, choices) : 'choices';
  const label = [schema['title'], schema['description']].filter((text) => typeof text === 'string');
  return { name, type, required, label: label.join(': '), choices, ...limitsOf(schema, type) };
}

function typeOf({ type }: Fields, choices: readonly FormChoice[]): FormFieldType {
  if (choices.length > 0) return 'choice';
  return type === 'integer' || type === 'number' || type === 'boolean' ? type : 'text';
}

function choicesOf({ oneOf, anyOf, enum: plain }: Fields): readonly FormChoice[] {
  const named = [oneOf, anyOf].flatMap((list) => (Array.isArray(list) ? list.filter(isFields) : []));
  const values: readonly unknown[] = Array.isArray(plain) ? plain : [];
  return [
    ...named
      .filter((choice) => 'const' in choice)
      .map(({ const: value, title }) => ({ id: String(value), name: String(title ?? value), value })),
    ...values.map((value) => ({ id: String(value), name: String(value), value })),
  ];
}

function limitsOf(schema: Fields, type: FormFieldType): { readonly min: number; readonly max: number } {
  const limit = (name: string, otherwise: number): number => {
    const value = schema[name];
    return typeof value === 'number' ? value : otherwise;
  };
  const named = { text: ['minLength', 'maxLength'], choices: ['minItems', 'maxItems'] } as const;
  const [min, max] = type === 'text' || type === 'choices' ? named[type] : (['minimum', 'maximum'] as const);
  return { min: limit(min, -Infinity), max: limit(max, Infinity) };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
