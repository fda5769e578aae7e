import { createInterface, type Interface } from 'node:readline';
import type { Cli } from '../output/cli.ts';
import type { ChatHistory } from './chat-history.ts';
import { PASTE_OFF, PASTE_ON, pasteStream, withBreaks } from './paste-stream.ts';

/** What a person gave to a prompt. */
export type Given =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'end' };

/** Where messages come from: a terminal with a line editor, or a pipe with one message on each line. */
export interface ChatInput extends Disposable {
  readonly isTerminal: boolean;
  /** An abort takes the prompt away and counts as an interrupt. */
  next(prompt: string, signal?: AbortSignal): Promise<Given>;
  /** Keeps what was typed so far for the next message: it must not answer a question that was not on the screen yet. */
  holdTyped(): void;
}

export interface InputParts {
  readonly history: ChatHistory;
  /** Called for a Ctrl-C that is typed while no prompt is shown. */
  readonly onInterrupt: () => void;
}

export function openInput(cli: Cli, parts: InputParts): ChatInput {
  return cli.stdin.isTTY && cli.out.isTerminal ? new TerminalInput(cli, parts) : new PipedInput(cli);
}

class TerminalInput implements ChatInput {
  readonly isTerminal = true;
  readonly #cli: Cli;
  readonly #history: ChatHistory;
  readonly #keys: ReturnType<typeof pasteStream>;
  readonly #waiting: string[] = [];
  /** Typed before a question was shown. */
  #held = '';
  #prompting = false;

  constructor(cli: Cli, { history, onInterrupt }: InputParts) {
    this.#cli = cli;
    this.#history = history;
    const { stdin } = cli;
    // The line editor switches the terminal itself, through what it takes for its input.
    // Between two prompts Ctrl-C is a signal, but for a moment the terminal may still send it as a character.
    const takeInterrupt = (): boolean => {
      if (!this.#prompting) onInterrupt();
      return !this.#prompting;
    };
    this.#keys = Object.assign(pasteStream(takeInterrupt), {
      isTTY: true,
      setRawMode: (raw: boolean) => stdin.setRawMode(raw),
    });
    stdin.pipe(this.#keys, { end: true });
    cli.out.write(PASTE_ON);
  }

  async next(prompt: string, signal?: AbortSignal): Promise<Given> {
    // Only a question can be taken away: this is the next message.
    if (signal === undefined) this.#releaseHeld();
    let text = '';
    for (let first = true; ; first = false) {
      const given = await this.#line(first ? prompt : '. ', signal);
      if (given.kind !== 'line') return given;
      // A backslash at the end of a line: the message goes on.
      if (!given.text.endsWith('\\')) return { kind: 'line', text: withBreaks(text + given.text) };
      text += `${given.text.slice(0, -1)}\n`;
    }
  }

  holdTyped(): void {
    const lines = this.#waiting.splice(0).map((line) => `${line}\r`);
    this.#held += lines.join('') + String(this.#keys.read() ?? '');
  }

  #releaseHeld(): void {
    if (this.#held !== '') this.#keys.unshift(this.#held);
    this.#held = '';
  }

  [Symbol.dispose](): void {
    this.#cli.out.write(PASTE_OFF);
    this.#cli.stdin.unpipe(this.#keys);
    this.#cli.stdin.pause();
  }

  async #line(prompt: string, signal: AbortSignal | undefined): Promise<Given> {
    const typed = this.#waiting.shift();
    if (typed !== undefined) return { kind: 'line', text: typed };
    const lines: Interface = createInterface({
      input: this.#keys,
      output: process.stdout,
      terminal: true,
      prompt,
      history: this.#history.lines,
      historySize: 500,
    });
    const { promise, resolve } = Promise.withResolvers<Given>();
    let answered = false;
    lines.on('line', (text) => {
      // What was typed ahead is for the next prompt.
      if (answered) this.#waiting.push(text);
      else resolve({ kind: 'line', text });
      answered = true;
      this.#prompting = false;
    });
    lines.on('SIGINT', () => {
      if (lines.line === '') return resolve({ kind: 'interrupt' });
      // As a shell does: the line is given up, and the next one begins.
      lines.write(null, { ctrl: true, name: 'e' });
      lines.write(null, { ctrl: true, name: 'u' });
    });
    lines.on('close', () => resolve({ kind: 'end' }));
    const onAbort = (): void => {
      this.#cli.out.line();
      resolve({ kind: 'interrupt' });
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#prompting = true;
    lines.prompt();
    if (signal?.aborted === true) onAbort();
    return await promise.finally(() => {
      signal?.removeEventListener('abort', onAbort);
      this.#prompting = false;
      lines.close();
    });
  }
}

class PipedInput implements ChatInput {
  readonly isTerminal = false;
  readonly #lines: Interface;
  readonly #iterator: AsyncIterator<string>;

  constructor(cli: Cli) {
    // Nobody types here: Ctrl-C ends the command, and not one answer.
    this.#lines = createInterface({ input: cli.stdin, terminal: false, signal: cli.untilStopped() });
    this.#iterator = this.#lines[Symbol.asyncIterator]();
  }

  holdTyped(): void {
    // Each line of a pipe is a message, and questions are not asked there.
  }

  async next(): Promise<Given> {
    const { done, value } = await this.#iterator.next();
    return done === true ? { kind: 'end' } : { kind: 'line', text: value };
  }

  [Symbol.dispose](): void {
    this.#lines.close();
  }
}
