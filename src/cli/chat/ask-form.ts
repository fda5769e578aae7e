import { setTimeout as delay } from 'node:timers/promises';
import { fillForm } from '../../domain/approvals/fill-form.ts';
import { formFields, type FormField } from '../../domain/approvals/form.ts';
import { typeText } from '../../domain/approvals/form-text.ts';
import { toFleetError } from '../../domain/values/errors.ts';
import type { ServerQuestion } from '../../session/tools/approver.ts';
import type { JsonObject } from '../../wire/json-rpc.ts';
import type { Output } from '../output/output.ts';
import { printable, printableLine } from '../output/printable.ts';
import { wrapLine } from '../output/wrap-line.ts';
import type { AskQuestion } from './ask-line.ts';

export interface FormPlace {
  readonly out: Output;
  readonly question: AskQuestion;
}

/** Asks for each field of a form. Undefined when the person declines. */
export async function askForm(
  { message, schema }: ServerQuestion,
  place: FormPlace,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const fields = formFields(schema);
  const isOptional = fields.every(({ required }) => !required);
  showMessage(message, place.out);
  // An empty line leaves an optional field out: it cannot decline such a form.
  if (isOptional && !(await agrees(fields.length === 0 ? 'Accept?' : 'Answer?', place, signal)))
    return undefined;
  if (!isOptional) place.out.line('  (an empty line for a required field declines)');
  const content: Record<string, unknown> = {};
  for (const field of fields) {
    const filled = await askField(field, place, signal);
    if (filled === undefined && field.required) return undefined;
    Object.assign(content, filled);
  }
  return content;
}

/** Asks until the value fits. Undefined for an empty line. */
async function askField(
  field: FormField,
  place: FormPlace,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const { out } = place;
  const { name, label, required, choices } = field;
  if (label !== '') out.line(`  ${printableLine(label)}`);
  for (const choice of choices) {
    if (choice.name !== choice.id) out.line(`  ${printableLine(`${choice.id}: ${choice.name}`)}`);
  }
  const prompt = `${name} (${typeText(field)}${required ? '' : ', optional'}):`;
  for (;;) {
    const line = await askOnce(`${printableLine(prompt)} `, place, signal);
    if (line.trim() === '') return undefined;
    try {
      return fillForm([field], { option: null, answer: line });
    } catch (thrown) {
      out.line(`  ${printable(toFleetError(thrown).message)}`);
    }
  }
}

async function agrees(what: string, place: FormPlace, signal: AbortSignal): Promise<boolean> {
  return /^y(?:es)?$/i.test((await askOnce(`${what} [y/N] `, place, signal)).trim());
}

async function askOnce(prompt: string, { question }: FormPlace, signal: AbortSignal): Promise<string> {
  const line = await question(prompt, signal);
  // Ctrl-C is not an answer.
  await delay(0);
  signal.throwIfAborted();
  return line;
}

function showMessage(message: string, out: Output): void {
  const width = Number.isFinite(out.columns) ? out.columns : 100;
  for (const line of printable(message).split('\n'))
    for (const part of wrapLine(line, width)) out.line(out.paint('yellow', part));
}
