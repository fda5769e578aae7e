import { questionFields, type Approval, type ApprovalOption } from '../../domain/approvals/approval.ts';
import { answerableAlone, isChoice, type FormField } from '../../domain/approvals/form.ts';
import { exampleOf, typeText } from '../../domain/approvals/form-text.ts';
import { printable, printableLine } from '../output/printable.ts';

type Line = readonly [command: string, what: string];

/** A command for each answer that is really offered. */
export function answersText(approval: Approval): string {
  const lines = approval.kind === 'question' ? questionLines(approval) : permissionLines(approval);
  const width = Math.max(...lines.map(([command]) => command.length));
  const rows = lines.map(
    ([command, what]) => `  ${printable(command.padEnd(width))}   # ${printableLine(what)}`,
  );
  return ['Answer with:', ...rows].join('\n');
}

function permissionLines(approval: Approval): readonly Line[] {
  const { id, options } = approval;
  const first = (decision: 'allow' | 'deny'): ApprovalOption | undefined =>
    options.find((option) => option.decision === decision);
  const lines = options.map((option): Line => {
    const command = option.decision === 'allow' ? 'fleet approve' : 'fleet deny';
    const choice = option === first(option.decision) ? '' : ` --option ${quoted(option.id)}`;
    return [`${command} ${id}${choice}`, option.name];
  });
  return [
    ...(first('allow') === undefined ? [[`fleet approve ${id}`, 'allow'] as const] : []),
    ...lines,
    ...(first('deny') === undefined ? [[`fleet deny ${id}`, 'decline'] as const] : []),
  ];
}

function questionLines(approval: Approval): readonly Line[] {
  const fields = questionFields(approval);
  const approve = `fleet approve ${approval.id}`;
  const alone = answerableAlone(fields);
  const free = alone.filter((field) => !isChoice(field));
  const choices = alone.flatMap((field) => field.choices);
  return [
    ...(fields.length === 0 ? [[approve, 'allow'] as const] : []),
    ...choices.map((choice): Line => [
      `${approve} --option ${quoted(choice.id)}`,
      choiceText(approval, choice),
    ]),
    ...(free.length === 1 ? free.flatMap((field) => freeLines(approve, field)) : []),
    ...(fields.length > 1
      ? [[`${approve} --answer ${quoted(exampleOf(fields))}`, 'fill the fields'] as const]
      : []),
    [`fleet deny ${approval.id}`, 'decline'],
  ];
}

function freeLines(approve: string, field: FormField): readonly Line[] {
  if (field.type === 'boolean')
    return [
      [`${approve} --answer yes`, 'yes'],
      [`${approve} --answer no`, 'no'],
    ];
  if (field.type === 'text') return [[`${approve} --answer TEXT`, 'answer in your own words']];
  return [[`${approve} --answer NUMBER`, typeText(field)]];
}

/** A choice of a form can have a description. */
function choiceText({ input }: Approval, { id, name }: FormField['choices'][number]): string {
  const description = findChoice(input, id);
  return description === undefined || description === name ? name : `${name}: ${description}`;
}

function findChoice(value: unknown, id: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (
    'const' in value &&
    value.const === id &&
    'description' in value &&
    typeof value.description === 'string'
  )
    return value.description;
  for (const inner of Object.values(value)) {
    const found = findChoice(inner, id);
    if (found !== undefined) return found;
  }
  return undefined;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
