import { displayWidth } from '../output/display-width.ts';
import type { Paint, Style } from '../output/output.ts';
import { printable } from '../output/printable.ts';

export interface MarkdownPlace {
  readonly write: (text: string) => void;
  readonly paint: Paint;
  /** Of the terminal; infinite where lines are not wrapped. */
  readonly columns: number;
}

/** What a line begins with, which is known only when enough of it has come. */
const OPENINGS =
  /^(?<indent> *)(?:(?<heading>#{1,6}) +|(?<item>[-*+]|\d{1,3}[.)]) +|(?<quote>>) ?|(?<fence>`{3,}|~{3,})(?<language>[^\n]*))?/;
/** Such a beginning could still become one of those. */
const UNDECIDED = /^ {0,8}(?:#{0,6}|[-*+]|\d{1,3}[.)]?|>|`{1,2}|~{1,2})? ?$/;
const MARKER = /\*\*|__|`|\*|_/;

/** Renders Markdown for a terminal while it arrives: a word is printed as soon as it is complete. */
export class MarkdownStream {
  readonly #place: MarkdownPlace;
  /** Of the current line, what is not printed yet. */
  #pending = '';
  #started = false;
  #fence: string | undefined;
  #column = 0;
  /** Spaces before the next word, unless it goes to the next line. */
  #gap = '';
  #indent = 0;
  #heading = false;
  readonly #styles = new Set<Style>();

  constructor(place: MarkdownPlace) {
    this.#place = place;
  }

  push(text: string): void {
    const lines = (this.#pending + printable(text)).split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line, true);
    this.#pending = '';
    this.#line(rest, false);
  }

  /** Prints what is left, and ends the line. */
  end(): void {
    if (this.#pending !== '' || this.#column > 0 || this.#started) this.#line(this.#pending, true);
    this.#pending = '';
    this.#fence = undefined;
  }

  #line(text: string, complete: boolean): void {
    let rest = text;
    if (this.#fence !== undefined) {
      // A line of code is short, and may be the end of the block.
      if (!complete) return void (this.#pending = rest);
      return this.#codeLine(rest);
    }
    if (!this.#started) {
      if (!complete && (UNDECIDED.test(rest) || /^ *(?:`{3}|~{3})/.test(rest))) {
        this.#pending = rest;
        return;
      }
      const opened = this.#open(rest);
      if (opened === undefined) return;
      rest = opened;
      this.#started = true;
    }
    const end = complete ? rest.length : safeEnd(rest);
    this.#words(rest.slice(0, end));
    this.#pending = rest.slice(end);
    if (complete) this.#newLine();
  }

  /** Undefined when the line is done with its opening. */
  #open(line: string): string | undefined {
    const { indent = '', heading, item, quote, fence, language = '' } = OPENINGS.exec(line)?.groups ?? {};
    const length = (OPENINGS.exec(line)?.[0] ?? '').length;
    const lead = indent.slice(0, 8);
    if (fence !== undefined) {
      this.#fence = fence.slice(0, 3);
      const name = language.trim();
      if (name !== '') this.#print(`${this.#place.paint('dim', name)}\n`);
      return undefined;
    }
    if (heading !== undefined) this.#heading = true;
    const marker = item === undefined ? '' : /^\d/.test(item) ? `${item} ` : '• ';
    const bar = quote === undefined ? '' : '│ ';
    this.#indent = displayWidth(lead + marker + bar);
    if (heading === undefined) this.#print(lead + (bar === '' ? marker : this.#place.paint('dim', bar)));
    this.#column = heading === undefined ? this.#indent : 0;
    if (heading !== undefined) this.#indent = 0;
    return heading === undefined && item === undefined && quote === undefined
      ? line.slice(indent.length)
      : line.slice(length);
  }

  #codeLine(line: string): void {
    if (line.trimStart().startsWith(this.#fence ?? '')) {
      this.#fence = undefined;
      return;
    }
    // Code is not wrapped, so that it can be copied.
    this.#print(`  ${this.#place.paint('cyan', line)}\n`);
  }

  #words(text: string): void {
    for (const piece of text.split(/( +)/)) {
      if (piece === '') continue;
      if (piece.startsWith(' ')) this.#gap += piece;
      else this.#word(piece);
    }
  }

  #word(word: string): void {
    const width = displayWidth(word.split(MARKER).join(''));
    if (this.#column > this.#indent && this.#column + this.#gap.length + width > this.#place.columns) {
      this.#print(`\n${' '.repeat(this.#indent)}`);
      this.#column = this.#indent;
    } else {
      this.#print(this.#gap);
      this.#column += this.#gap.length;
    }
    this.#gap = '';
    let rest = word;
    for (let found = MARKER.exec(rest); found !== null; found = MARKER.exec(rest)) {
      const before = rest.slice(0, found.index);
      const after = rest.slice(found.index + found[0].length);
      const isCode = this.#styles.has('cyan');
      // Inside code only its own mark counts, and `_` inside a word is a letter.
      const counts = isCode
        ? found[0] === '`'
        : !isLetter(found[0], before, after) && this.#pairs(found[0], after);
      this.#styled(counts ? before : before + found[0]);
      if (counts) this.#toggle(found[0]);
      rest = after;
    }
    this.#styled(rest);
    this.#column += width;
  }

  /** A single star between spaces is a star. */
  #pairs(mark: string, after: string): boolean {
    if (mark === '**' || mark === '__' || mark === '`') return true;
    return this.#styles.has('blue') || after !== '';
  }

  #toggle(mark: string): void {
    const style: Style = mark === '`' ? 'cyan' : mark.length === 2 ? 'bold' : 'blue';
    if (!this.#styles.delete(style)) this.#styles.add(style);
  }

  #styled(text: string): void {
    if (text === '') return;
    const [style] = this.#heading ? (['bold'] as const) : this.#styles;
    this.#print(style === undefined ? text : this.#place.paint(style, text));
  }

  #newLine(): void {
    this.#print('\n');
    this.#column = 0;
    this.#gap = '';
    this.#indent = 0;
    this.#started = false;
    this.#heading = false;
    // A mark without its partner styles its own line only.
    this.#styles.clear();
  }

  #print(text: string): void {
    if (text !== '') this.#place.write(text);
  }
}

/** Up to the last space: the word after it may go on. */
function safeEnd(text: string): number {
  return text.lastIndexOf(' ') + 1;
}

function isLetter(mark: string, before: string, after: string): boolean {
  return mark.startsWith('_') && /[\p{L}\p{N}]$/u.test(before) && /^[\p{L}\p{N}_]/u.test(after);
}
