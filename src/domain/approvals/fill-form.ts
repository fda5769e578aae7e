import { FleetError, quote } from '../values/errors.ts';
import { answerableAlone, isChoice, type FormField } from './form.ts';
import { exampleOf, typeText } from './form-text.ts';
import { jsonIn } from '../values/text.ts';

/** An answer as a person gives it. */
export interface GivenAnswer {
  /** The id or the name of a choice. */
  readonly option: string | null;
  /** The value of one field, or a JSON object with those of several. */
  readonly answer: string | null;
}

/** The content of a form as an answer fills it. An answer that does not fit the form is INVALID_INPUT. */
export function fillForm(
  fields: readonly FormField[],
  given: GivenAnswer,
): Readonly<Record<string, unknown>> {
  const chosen = given.option === null ? [] : [ofOption(fields, given.option)];
  const filled = new Set(chosen.map(([name]) => name));
  const answered = given.answer === null ? [] : ofAnswer(fields, filled, given.answer);
  const content = Object.fromEntries([...chosen, ...answered]);
  const missing = fields.filter(({ name, required }) => required && !Object.hasOwn(content, name));
  const isEmpty = given.option === null && given.answer === null;
  if (missing.length > 0 || (isEmpty && fields.length > 0)) throw notAnswered(fields, missing, isEmpty);
  return content;
}

type Entry = readonly [name: string, value: unknown];

function ofOption(fields: readonly FormField[], option: string): Entry {
  const having = fields.filter((field) => isChoice(field) && choiceOf(field, option) !== undefined);
  const required = having.filter((field) => field.required);
  const [field, other] = required.length > 0 ? required : having;
  if (field === undefined) throw noChoice('option', fields, option);
  if (other !== undefined) {
    throw invalid(
      'option',
      `The option ${quote(option)} belongs to several fields: ${namesOf(having)}. ${asObject(fields)}`,
    );
  }
  return [field.name, ofWords(field, option)];
}

function ofAnswer(
  fields: readonly FormField[],
  filled: ReadonlySet<string>,
  answer: string,
): readonly Entry[] {
  // A text alone may begin like an object; several choices do not, and their names may have commas.
  const mayBeObject = fields.length > 1 || fields[0]?.type === 'choices';
  if (mayBeObject && answer.trimStart().startsWith('{')) return ofObject(fields, filled, answer);
  const open = fields.filter(({ name }) => !filled.has(name));
  if (open.length === 0) {
    const what =
      filled.size > 0 ? 'The option answers the question' : 'The question takes only a plain yes or no';
    throw invalid('answer', `${what}: leave out answer ${quote(answer)}.`);
  }
  const field = fieldFor(open, answer);
  if (field === undefined) {
    throw invalid(
      'answer',
      `The answer ${quote(answer)} could be for any of several fields: ${namesOf(open)}. ${asObject(fields)}`,
    );
  }
  return [[field.name, ofWords(field, answer)]];
}

/** Words are for the one field that must be filled, else for a choice that they name, else for the one that takes words. */
function fieldFor(open: readonly FormField[], words: string): FormField | undefined {
  const alone = answerableAlone(open);
  if (alone.length < 2) return alone[0];
  const named = alone.filter((field) => choiceOf(field, words) !== undefined);
  const free = alone.filter((field) => !isChoice(field));
  const [field, other] = named.length > 0 ? named : free;
  if (field === undefined) throw noChoice('answer', alone, words);
  return other === undefined ? field : undefined;
}

function ofObject(
  fields: readonly FormField[],
  filled: ReadonlySet<string>,
  answer: string,
): readonly Entry[] {
  return Object.entries(parsed(answer)).flatMap(([name, value]): readonly Entry[] => {
    const field = fields.find((each) => each.name === name);
    if (field === undefined)
      throw invalid('answer', `There is no field ${quote(name)}; there are: ${namesOf(fields)}.`);
    if (filled.has(name))
      throw invalid(
        'answer',
        `The option fills the field ${quote(name)} already: leave it out of the answer.`,
      );
    return value === null ? [] : [[name, checked(field, value)]];
  });
}

function parsed(answer: string): object {
  const value = jsonIn(answer);
  if (typeof value === 'object' && value !== null) return value;
  throw invalid('answer', `The answer ${quote(answer)} is not a valid JSON object.`);
}

function ofWords(field: FormField, words: string): unknown {
  const trimmed = words.trim();
  switch (field.type) {
    case 'text':
      return checked(field, words);
    case 'choice':
      return checked(field, choiceOf(field, words)?.value ?? words);
    case 'choices':
      return checked(field, listOf(field, words));
    case 'integer':
    case 'number':
      return checked(
        field,
        /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : words,
      );
    case 'boolean':
      if (/^(?:yes|true|y|1)$/i.test(trimmed)) return true;
      return checked(field, /^(?:no|false|n|0)$/i.test(trimmed) ? false : words);
  }
}

/** One choice, or several with commas between them. */
function listOf(field: FormField, words: string): readonly string[] {
  return choiceOf(field, words) === undefined ? words.split(',').map((word) => word.trim()) : [words];
}

/** The value as the form has it, of the right type. */
function checked(field: FormField, value: unknown): unknown {
  const fit = fitted(field, value);
  const size = typeof fit === 'string' || Array.isArray(fit) ? fit.length : fit;
  const isInside =
    field.type === 'choice' || typeof size !== 'number' || (size >= field.min && size <= field.max);
  if (fit === undefined || !isInside) {
    throw invalid('answer', `The field ${quote(field.name)} takes ${typeText(field)}, not ${quote(value)}.`);
  }
  return fit;
}

/** Undefined for a value of another type. */
function fitted(field: FormField, value: unknown): unknown {
  switch (field.type) {
    case 'text':
      return typeof value === 'string' ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
    case 'integer':
      return Number.isSafeInteger(value) ? value : undefined;
    case 'choice':
      return choiceOf(field, value)?.value;
    case 'choices': {
      if (!Array.isArray(value)) return undefined;
      const isText = field.choices.length === 0;
      const found = value.map((each: unknown) => (isText ? each : choiceOf(field, each)?.value));
      return found.every((each) => (isText ? typeof each === 'string' : each !== undefined))
        ? found
        : undefined;
    }
  }
}

function choiceOf({ choices }: FormField, wanted: unknown): FormField['choices'][number] | undefined {
  return (
    choices.find(({ id, value }) => id === wanted || value === wanted) ??
    choices.find(({ name }) => name === wanted)
  );
}

function notAnswered(
  fields: readonly FormField[],
  missing: readonly FormField[],
  isEmpty: boolean,
): FleetError {
  const alone = isEmpty ? answerableAlone(fields) : [];
  const choices = alone.filter(isChoice).flatMap(({ choices: each }) => each.map(({ id }) => id));
  const free = alone.find((field) => !isChoice(field));
  const ways = [
    ...(choices.length > 0
      ? [`choose an option (fleet approve ID --option OPTION), one of: ${choices.join(', ')}`]
      : []),
    ...(free === undefined ? [] : [`give ${typeText(free)} as answer (fleet approve ID --answer ANSWER)`]),
  ];
  if (ways.length > 0)
    return invalid(
      choices.length > 0 ? 'option' : 'answer',
      `The question must be answered: ${ways.join('; or ')}.`,
    );
  return invalid('answer', `The answer lacks the fields: ${namesOf(missing)}. ${asObject(fields)}`);
}

function noChoice(input: 'option' | 'answer', fields: readonly FormField[], wanted: string): FleetError {
  const ids = fields.flatMap(({ choices }) => choices.map(({ id }) => id));
  return invalid(input, `There is no option ${quote(wanted)}; there are: ${ids.join(', ') || 'none'}.`);
}

function asObject(fields: readonly FormField[]): string {
  return `Give the fields as a JSON object as answer, such as ${exampleOf(fields)}.`;
}

function namesOf(fields: readonly FormField[]): string {
  return fields.map(({ name }) => name).join(', ');
}

function invalid(field: 'option' | 'answer', message: string): FleetError {
  return new FleetError('INVALID_INPUT', message, { field });
}
