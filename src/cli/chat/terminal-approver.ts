import { setTimeout as delay } from 'node:timers/promises';
import type {
  ApprovalAnswer,
  ApprovalQuestion,
  Approver,
  ServerAnswer,
  ServerQuestion,
} from '../../session/tools/approver.ts';
import { askForm } from './ask-form.ts';
import type { AskQuestion } from './ask-line.ts';
import type { Output } from '../output/output.ts';
import { jsonText, printable, printableLine } from '../output/printable.ts';
import { wrapLine } from '../output/wrap-line.ts';

export interface TerminalApproverParts {
  readonly out: Output;
  /** Tools that were allowed in advance. */
  readonly allowed: ReadonlySet<string>;
  /** Asks for a line; undefined where there is no terminal. */
  readonly question?: AskQuestion | undefined;
  /** Called before a question: ends the line that is being written, and sets aside what was typed until then. */
  readonly before: () => void | Promise<void>;
  /** Called with the reason for a call that could not be asked about. */
  readonly onRefused?: (reason: string) => void;
}

const LONGEST_ARGUMENTS = 4_000;

/** Asks the person at the terminal: before a destructive call, and what a server asks during a call. */
export class TerminalApprover implements Approver {
  readonly #parts: TerminalApproverParts;
  readonly #always: Set<string>;

  constructor(parts: TerminalApproverParts) {
    this.#parts = parts;
    this.#always = new Set(parts.allowed);
  }

  async ask(asked: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer> {
    const { question, before, onRefused } = this.#parts;
    const { tool, unusual } = asked;
    if (!unusual && this.#always.has(tool)) return { allowed: true };
    if (question === undefined) {
      const hint = unusual
        ? 'The model printed this call instead of making it, which always needs a person.'
        : `To allow it, run the command with --yes ${tool}.`;
      const reason = `${tool} needs an approval, and there is no terminal to ask on. ${hint}`;
      onRefused?.(reason);
      return { allowed: false, reason };
    }
    await before();
    this.#show(asked);
    const choices = unusual ? '[y/N]' : '[y/N/a: always in this session]';
    const answer = (await question(`Allow ${printableLine(tool)}? ${choices} `, signal)).trim().toLowerCase();
    // Ctrl-C is not an answer.
    await delay(0);
    signal.throwIfAborted();
    if (!unusual && /^a(?:lways)?$/.test(answer)) {
      this.#always.add(tool);
      return { allowed: true };
    }
    if (/^y(?:es)?$/.test(answer)) return { allowed: true };
    return { allowed: false, reason: `The user did not allow ${tool}.` };
  }

  async answer(asked: ServerQuestion, signal: AbortSignal): Promise<ServerAnswer> {
    const { question, before, out } = this.#parts;
    if (question === undefined) {
      const reason = `${asked.tool} asked the user a question, which was declined: there is no terminal to ask on.`;
      return { action: 'decline', reason, unasked: true };
    }
    await before();
    const content = await askForm(asked, { out, question }, signal);
    if (content !== undefined) return { action: 'accept', content };
    return { action: 'decline', reason: `The user declined the question of ${asked.tool}.`, unasked: false };
  }

  #show({ tool, arguments: args, effect, unusual }: ApprovalQuestion): void {
    const { out } = this.#parts;
    const { columns } = out;
    const width = Number.isFinite(columns) ? columns : 100;
    out.line(
      out.paint(
        'yellow',
        `The model wants to call ${printableLine(tool)}${unusual ? ' (printed as text)' : ''}:`,
      ),
    );
    const text = jsonText(args, 1);
    // Wrapped and not cut off: what a person allows must be on the screen.
    for (const line of text.slice(0, LONGEST_ARGUMENTS).split('\n'))
      for (const part of wrapLine(line, width - 2)) out.line(`  ${part}`);
    const hidden = text.length - LONGEST_ARGUMENTS;
    if (hidden > 0) out.line(out.paint('yellow', `  … ${hidden} more characters are not shown.`));
    for (const sentence of effect)
      for (const line of wrapLine(printable(sentence), width - 2)) out.line(`  ${line}`);
  }
}
