import type { SessionEvent } from '../../session/session-event.ts';
import type { JsonObject } from '../../wire/json-rpc.ts';
import type { Output } from '../output/output.ts';
import { printable, printableLine } from '../output/printable.ts';
import { callLine } from './call-line.ts';
import { MarkdownStream } from './markdown-stream.ts';

export interface AnswerPlaces {
  /** Where the answer goes. */
  readonly out: Output;
  /** Where tool calls, notices and thinking go. */
  readonly side: Output;
  /** False: only the answer is printed. */
  readonly sideShown: boolean;
}

const SAY_MS = 2_000;

/** Prints the events of a session: rendered at a terminal, unchanged into a pipe. */
export class AnswerPrinter implements Disposable {
  readonly #places: AnswerPlaces;
  readonly #calls = new Map<string, { readonly arguments: JsonObject; readonly timer: NodeJS.Timeout }>();
  #markdown: MarkdownStream | undefined;
  #writing: 'text' | 'thinking' | undefined;
  #lineOpen = false;

  constructor(places: AnswerPlaces) {
    this.#places = places;
  }

  show(event: SessionEvent): void {
    switch (event.type) {
      case 'text':
        return this.#text(event.text);
      case 'thinking':
        return this.#thinking(event.text);
      case 'call': {
        const timer = setTimeout(() => this.#say(event.tool), SAY_MS);
        this.#calls.set(event.id, { arguments: event.arguments, timer });
        return;
      }
      case 'result': {
        const call = this.#calls.get(event.id);
        clearTimeout(call?.timer);
        this.#calls.delete(event.id);
        const { side } = this.#places;
        this.#side(callLine({ ...event, arguments: call?.arguments ?? {} }, side));
        return;
      }
      case 'progress':
        if (this.#places.side.isTerminal) this.#say(`${event.tool}: ${event.message}`);
        return;
      case 'notice':
        this.#side(this.#places.side.paint('yellow', printableLine(event.text)));
        return;
      case 'state':
        return;
    }
  }

  /** Ends the line that is being written. */
  finish(): void {
    this.#markdown?.end();
    if (this.#lineOpen) this.#places.out.line();
    if (this.#writing === 'thinking') this.#places.side.line();
    this.#markdown = undefined;
    this.#writing = undefined;
    this.#lineOpen = false;
  }

  /** For a question: nothing may be printed into it. */
  pause(): void {
    this.finish();
    for (const { timer } of this.#calls.values()) clearTimeout(timer);
  }

  [Symbol.dispose](): void {
    // An answer may have broken off: what is printed next needs a line of its own.
    this.finish();
    for (const { timer } of this.#calls.values()) clearTimeout(timer);
    this.#calls.clear();
  }

  #text(text: string): void {
    if (this.#writing !== 'text') this.finish();
    this.#writing = 'text';
    const { out } = this.#places;
    if (!out.isTerminal) {
      out.write(printable(text));
      this.#lineOpen = !text.endsWith('\n');
      return;
    }
    this.#markdown ??= new MarkdownStream({
      write: (rendered) => out.write(rendered),
      paint: out.paint,
      columns: out.columns,
    });
    this.#markdown.push(text);
  }

  /** For people only: a program has no use for it. */
  #thinking(text: string): void {
    const { side, sideShown } = this.#places;
    if (!sideShown || !side.isTerminal) return;
    if (this.#writing !== 'thinking') this.finish();
    this.#writing = 'thinking';
    side.write(this.#dim(printable(text)));
  }

  #side(line: string): void {
    if (!this.#places.sideShown) return;
    this.finish();
    this.#places.side.line(line);
  }

  /** The name of a tool is the model's word, and its progress the word of a server. */
  #say(text: string): void {
    this.#side(this.#dim(`… ${printableLine(text)}`));
  }

  #dim(text: string): string {
    return this.#places.side.paint('dim', text);
  }
}
