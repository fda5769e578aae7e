import { toFleetError } from '../../domain/values/errors.ts';
import type { SessionEvent } from '../../session/session-event.ts';
import type { SessionFlags } from '../../session/session-settings.ts';
import type { Cli } from '../output/cli.ts';
import { printable, printableLine } from '../output/printable.ts';
import { AnswerPrinter } from './answer-printer.ts';
import type { AskQuestion } from './ask-line.ts';
import type { ChatHistory } from './chat-history.ts';
import { openInput, type ChatInput } from './chat-input.ts';
import { Interrupts } from './interrupts.ts';
import type { Chat } from './open-chat.ts';
import { slashCommand, startLine, type Next } from './slash-commands.ts';
import { startSession, type StartedSession } from './start-session.ts';
import { TerminalApprover } from './terminal-approver.ts';

const PROMPT = '> ';

/** The loop of `fleet chat`: reads messages, prints answers, until the person leaves. */
export class ChatLoop {
  readonly #cli: Cli;
  readonly #chat: Chat;
  readonly #history: ChatHistory;
  readonly #interrupts = new Interrupts();
  readonly #printer: AnswerPrinter;
  readonly #approver: TerminalApprover;
  #interrupted = false;
  #input: ChatInput | undefined;

  constructor(cli: Cli, chat: Chat, { history, yes }: { history: ChatHistory; yes: readonly string[] }) {
    this.#cli = cli;
    this.#chat = chat;
    this.#history = history;
    this.#printer = new AnswerPrinter({ out: cli.out, side: cli.out, sideShown: true });
    this.#approver = new TerminalApprover({
      out: cli.out,
      allowed: new Set(yes),
      before: () => this.#printer.pause(),
      question: this.#question,
    });
  }

  async run(conversation_id: string | undefined): Promise<void> {
    using _interrupts = this.#interrupts;
    using _printer = this.#printer;
    using input = openInput(this.#cli, {
      history: this.#history,
      onInterrupt: () => this.#interrupts.interrupt(),
    });
    this.#input = input;
    let started = await this.#start(conversation_id, {});
    this.#greet(started, conversation_id);
    let id: string | null = null;
    try {
      for (;;) {
        const line = await this.#nextLine(input);
        if (line === undefined) break;
        const next = await this.#handle(line, started);
        if (next.kind === 'leave') break;
        if (next.kind === 'stay') continue;
        started = await this.#change(started, next);
      }
    } finally {
      id = started.session.log.id;
      await started.session[Symbol.asyncDispose]();
    }
    if (id !== null && input.isTerminal)
      this.#cli.out.line(`To go on later: fleet chat --resume ${id.slice(0, 8)}`);
  }

  /** Asks on the same terminal that messages come from. Ctrl-C there stops the answer. */
  get #question(): AskQuestion | undefined {
    if (!this.#cli.stdin.isTTY || !this.#cli.out.isTerminal) return undefined;
    return async (prompt, signal) => {
      const given = (await this.#input?.next(prompt, signal)) ?? { kind: 'end' };
      if (given.kind === 'line') return given.text;
      if (!signal.aborted) this.#interrupts.interrupt();
      return '';
    };
  }

  /** The next message; undefined when the person leaves. */
  async #nextLine(input: ChatInput): Promise<string | undefined> {
    for (;;) {
      const given = await input.next(this.#cli.out.paint('bold', PROMPT));
      if (given.kind === 'end') return undefined;
      if (given.kind === 'line') {
        this.#interrupted = false;
        if (given.text.trim() !== '') return given.text;
        continue;
      }
      this.#cli.out.line();
      if (this.#interrupted) return undefined;
      this.#interrupted = true;
      this.#cli.out.line(this.#cli.out.paint('dim', 'Ctrl-C again leaves.'));
    }
  }

  async #handle(line: string, started: StartedSession): Promise<Next> {
    if (this.#cli.stdin.isTTY) this.#history.add(line);
    try {
      if (line.startsWith('/')) return await slashCommand(line, { cli: this.#cli, ...started });
      await this.#interrupts.during((signal) => this.#answer(line, started, signal));
    } catch (thrown) {
      this.#printer.finish();
      this.#cli.err.line(`fleet: ${printable(toFleetError(thrown).message)}`);
    }
    return { kind: 'stay' };
  }

  async #answer(line: string, { session }: StartedSession, signal: AbortSignal): Promise<void> {
    try {
      await session.send(line, signal);
      this.#printer.finish();
    } catch (thrown) {
      this.#printer.finish();
      if (!signal.aborted) throw thrown;
      this.#interrupted = true;
      this.#cli.out.line(this.#cli.out.paint('dim', 'Stopped. Ctrl-C again leaves.'));
    }
  }

  /** Another model for the same conversation, or another conversation. What fails leaves things as they were. */
  async #change(
    started: StartedSession,
    next: Exclude<Next, { kind: 'stay' | 'leave' }>,
  ): Promise<StartedSession> {
    const id = started.session.log.id ?? undefined;
    const current: SessionFlags = { model: started.start.model };
    await started.session[Symbol.asyncDispose]();
    if (next.kind === 'new') return await this.#start(undefined, current);
    try {
      const changed = await this.#start(id, { model: next.model });
      this.#cli.out.line(startLine(changed.start));
      return changed;
    } catch (thrown) {
      this.#cli.err.line(`fleet: ${printable(toFleetError(thrown).message)}`);
      return await this.#start(id, current);
    }
  }

  async #start(conversation_id: string | undefined, flags: SessionFlags): Promise<StartedSession> {
    const emit = (event: SessionEvent): void => this.#printer.show(event);
    const open = () => this.#chat.open({ approver: this.#approver, emit, conversation_id, flags });
    const parts = { cli: this.#cli, open, question: this.#question };
    return await this.#interrupts.during((signal) => startSession(parts, signal));
  }

  #greet({ start, session }: StartedSession, resumed: string | undefined): void {
    const { out } = this.#cli;
    out.line(out.paint('dim', `${startLine(start)} Type /help for commands.`));
    if (resumed === undefined) return;
    const { messages, title } = session.log.conversation;
    out.line(out.paint('dim', `Going on with ${printableLine(title)} (${messages.length} messages).`));
  }
}
