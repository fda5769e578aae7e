import { ERROR_TABLE, FleetError, quote, toFleetError } from '../../domain/values/errors.ts';
import { cut } from '../../domain/values/text.ts';
import type { SessionEvent } from '../../session/session-event.ts';
import type { SessionFlags } from '../../session/session-settings.ts';
import type { Cli } from '../output/cli.ts';
import { printable, printableLine } from '../output/printable.ts';
import { wrapLine } from '../output/wrap-line.ts';
import { AnswerPrinter } from './answer-printer.ts';
import type { AskQuestion } from './ask-line.ts';
import type { ChatHistory } from './chat-history.ts';
import { openInput, type ChatInput } from './chat-input.ts';
import { Interrupts } from './interrupts.ts';
import type { Chat } from './open-chat.ts';
import { slashCommand, startLine, type Next } from './slash-commands.ts';
import { startSession, type StartedSession, type StartParts } from './start-session.ts';
import { TerminalApprover } from './terminal-approver.ts';

const PROMPT = '> ';
const TITLE = 60;
const INTERRUPTED = 130;

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
      before: () => {
        this.#printer.pause();
        this.#input?.holdTyped();
      },
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
    const first = await this.#start(conversation_id, {});
    if (first === undefined) {
      this.#cli.exitCode = INTERRUPTED;
      return;
    }
    let started = first;
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
      this.#cli.out.line(`To resume this conversation: fleet chat --resume ${id.slice(0, 8)}`);
  }

  /** Asks on the same terminal that messages come from. Ctrl-C there stops the answer. */
  get #question(): AskQuestion | undefined {
    if (!this.#cli.stdin.isTTY || !this.#cli.out.isTerminal) return undefined;
    return async (prompt, signal) => {
      const given = (await this.#input?.next(prompt, signal)) ?? { kind: 'end' };
      if (given.kind === 'line') return given.text;
      if (!signal.aborted) {
        this.#cli.out.line();
        this.#interrupts.interrupt();
      }
      return '';
    };
  }

  /** The next message; undefined when the person leaves. */
  async #nextLine(input: ChatInput): Promise<string | undefined> {
    for (;;) {
      const given = await input.next(this.#cli.out.paint('bold', PROMPT));
      if (given.kind === 'end' || this.#cli.stopped !== undefined) return undefined;
      if (given.kind === 'line') {
        this.#interrupted = false;
        if (given.text.trim() !== '') return given.text;
        continue;
      }
      this.#cli.out.line();
      if (this.#interrupted) return undefined;
      this.#interrupted = true;
      this.#cli.out.line(this.#cli.out.paint('dim', 'Press Ctrl-C again to leave.'));
    }
  }

  async #handle(line: string, started: StartedSession): Promise<Next> {
    if (this.#cli.stdin.isTTY) this.#history.add(line);
    try {
      if (line.startsWith('/')) return await slashCommand(line, { cli: this.#cli, ...started });
      await this.#interrupts.during((signal) => this.#answer(line, started, signal));
    } catch (thrown) {
      this.#printer.finish();
      this.#report(thrown);
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
      if (this.#cli.stopped !== undefined) return;
      this.#interrupted = true;
      this.#cli.out.line(this.#cli.out.paint('dim', 'Stopped. Press Ctrl-C again to leave.'));
    }
  }

  /** Another model for the same conversation, or another conversation. After a failure the session is the one before. */
  async #change(
    started: StartedSession,
    next: Exclude<Next, { kind: 'stay' | 'leave' }>,
  ): Promise<StartedSession> {
    const id = started.session.log.id ?? undefined;
    const model = next.kind === 'new' ? (started.settings.model ?? started.start.model) : next.model;
    let changed: StartedSession | undefined;
    try {
      changed = await this.#start(undefined, { model });
    } catch (thrown) {
      this.#report(thrown);
    }
    if (changed === undefined) return started;
    await started.session[Symbol.asyncDispose]();
    if (next.kind === 'new') return changed;
    if (id !== undefined) {
      // Only one session can have the conversation open: the model was checked in a session without one.
      await changed.session[Symbol.asyncDispose]();
      changed = await startSession(this.#startParts(id, { model }), new AbortController().signal);
    }
    this.#print(startLine(changed.start));
    return changed;
  }

  #report(thrown: unknown): void {
    const error = toFleetError(thrown);
    this.#cli.err.line(`fleet: ${printable(error.message)}`);
    // A script that pipes messages in sees a failure by the exit code: that of the first one.
    if (this.#input?.isTerminal !== true) this.#cli.exitCode ||= ERROR_TABLE[error.code].exit;
  }

  #print(text: string, style?: 'dim'): void {
    const { out } = this.#cli;
    for (const line of wrapLine(text, out.columns))
      out.line(style === undefined ? line : out.paint(style, line));
  }

  /** Undefined when Ctrl-C stopped it. */
  async #start(
    conversation_id: string | undefined,
    flags: SessionFlags,
  ): Promise<StartedSession | undefined> {
    return await this.#interrupts.during(async (signal) => {
      try {
        return await startSession(this.#startParts(conversation_id, flags), signal);
      } catch (thrown) {
        if (thrown instanceof FleetError || !signal.aborted) throw thrown;
        this.#print('Stopped.', 'dim');
        return undefined;
      }
    });
  }

  #startParts(conversation_id: string | undefined, flags: SessionFlags): StartParts {
    const emit = (event: SessionEvent): void => this.#printer.show(event);
    const open = () => this.#chat.open({ approver: this.#approver, emit, conversation_id, flags });
    return { cli: this.#cli, open, question: this.#question };
  }

  #greet({ start, session }: StartedSession, resumed: string | undefined): void {
    this.#print(`${startLine(start)} Type /help for commands.`, 'dim');
    if (resumed === undefined) return;
    const { messages, title } = session.log.conversation;
    const count = messages.length === 1 ? '1 message' : `${messages.length} messages`;
    this.#print(`Resuming ${quote(cut(printableLine(title), TITLE))} (${count}).`, 'dim');
  }
}
