import { stringify } from 'yaml';
import { questionFields, type Approval } from '../../domain/approvals/approval.ts';
import { typeText } from '../../domain/approvals/form-text.ts';
import { cut } from '../../domain/values/text.ts';
import type { Paint } from '../output/output.ts';
import { printable, printableLine } from '../output/printable.ts';
import { ago, inWords } from '../output/times.ts';
import { answersText } from './answers-text.ts';
import { askedFor, type AskedFor } from '../../domain/approvals/asked-for.ts';
import { unifiedDiff } from '../../domain/approvals/unified-diff.ts';

const INDENT = '  ';
const SUMMARY_LIMIT = 200;

export interface ApprovalContext {
  readonly now: number;
  /** The fleet's home. */
  readonly home: string;
  readonly paint: Paint;
}

/** One approval in full, as a person reads it, with the commands that answer it. */
export function approvalText(approval: Approval, { now, home, paint }: ApprovalContext): string {
  const asked = askedFor(approval, home);
  const who = printableLine(approval.agent_name ?? approval.asked_by);
  const when = [`asked ${ago(approval.asked_at, now)} ago`, expiryText(approval, now)].filter(Boolean);
  return [
    `${paint('bold', `${approval.id}  ${who} ${WANTS[asked.kind]}`)}  (${when.join(', ')})`,
    '',
    indented(subjectText(asked, paint) + fieldsText(approval)),
    '',
    answersText(approval),
    '',
  ].join('\n');
}

/** One sentence for a place that has no room for all of it. */
export function approvalSummary(approval: Approval, { now, home }: Omit<ApprovalContext, 'paint'>): string {
  const line = cut(printableLine(approvalLine(approval, home)), SUMMARY_LIMIT);
  const wants = `${WANTS[askedFor(approval, home).kind]}: ${line}`;
  return [wants, `(${[approval.id, expiryText(approval, now)].filter(Boolean).join(', ')})`].join(' ');
}

/** What is asked for, on one line. */
export function approvalLine(
  approval: Pick<Approval, 'id' | 'kind' | 'tool' | 'input'>,
  home: string,
): string {
  const asked = askedFor(approval, home);
  switch (asked.kind) {
    case 'command':
      return asked.command;
    case 'edit':
      return asked.edits.map(({ path }) => path).join(', ');
    case 'question':
      return isYesOrNo(approval) ? `${asked.question} (yes or no)` : asked.question;
    case 'tool':
      return `${asked.tool} ${valuesText(asked.rest)}`;
  }
}

function expiryText({ expires_at }: Pick<Approval, 'expires_at'>, now: number): string {
  return expires_at === null ? '' : `expires in ${inWords(Date.parse(expires_at) - now)}`;
}

const WANTS: Record<AskedFor['kind'], string> = {
  command: 'wants to run a command',
  edit: 'wants to edit a file',
  question: 'asks a question',
  tool: 'wants to use a tool',
};

function subjectText(asked: AskedFor, paint: Paint): string {
  switch (asked.kind) {
    case 'command':
      return withRest(`$ ${printable(asked.command).replaceAll('\n', `\n${INDENT}`)}`, asked.rest);
    case 'edit':
      return withRest(
        asked.edits.map((edit) => paintedDiff(unifiedDiff(edit), paint)).join('\n'),
        asked.rest,
      );
    case 'question':
      return printable(asked.question);
    case 'tool':
      return withRest(printable(asked.tool), asked.rest);
  }
}

function withRest(text: string, rest: unknown): string {
  const values = valuesText(rest);
  return values === '' ? text : `${text}\n\n${printable(values)}`;
}

function valuesText(rest: unknown): string {
  if (rest === null || rest === undefined) return '';
  if (typeof rest === 'object' && Object.keys(rest).length === 0) return '';
  return typeof rest === 'string' ? rest : stringify(rest, { lineWidth: 0 }).trimEnd();
}

function paintedDiff(diff: string, paint: Paint): string {
  const paintLine = (line: string): string => {
    if (line.startsWith('+')) return paint('green', line);
    if (line.startsWith('-')) return paint('red', line);
    return line.startsWith('@@') ? paint('cyan', line) : line;
  };
  return printable(diff).split('\n').map(paintLine).join('\n');
}

/** The fields of a question's form: what each takes, and whether it must be filled. */
function fieldsText(approval: Approval): string {
  const lines = questionFields(approval).map((field) => {
    const what = `${field.name}: ${typeText(field)}${field.required ? ' (required)' : ''}`;
    return printableLine(field.label === '' ? what : `${what}. ${field.label}`);
  });
  return lines.length === 0 ? '' : `\n\n${lines.join('\n')}`;
}

function isYesOrNo(approval: Pick<Approval, 'kind' | 'input'>): boolean {
  const [field, other] = questionFields(approval);
  return field?.type === 'boolean' && other === undefined;
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, INDENT);
}
