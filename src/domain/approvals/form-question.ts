import type { Question } from './approval.ts';
import { formFields } from './form.ts';

/** A question with a form, as one to a person. The choices of the form are its options. */
export function formQuestion(message: string, schema: unknown): Question {
  const choices = formFields(schema).flatMap((field) => field.choices);
  return {
    kind: 'question',
    tool: message,
    input: { message, schema },
    options: choices.map(({ id, name }) => ({ id, name, decision: 'allow' })),
  };
}
