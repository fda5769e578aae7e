import { plain, type Paint } from './output.ts';
import { cutToWidth, displayWidth } from './display-width.ts';
import { printableLine } from './printable.ts';
import { wrapLine } from './wrap-line.ts';

export interface Column<Row> {
  readonly header: string;
  readonly value: (row: Row) => string;
  readonly painted?: (text: string, row: Row, paint: Paint) => string;
  /** On a narrow screen its texts are cut, down to this width. The last column is always cut. */
  readonly least?: number;
  /** On a screen that is still too narrow it is left out; the smallest number first. */
  readonly drop?: number;
}

export interface TableStyle<Row = never> {
  /** Columns of the screen. */
  readonly columns?: number;
  readonly paint?: Paint;
  /** A line below a row; none where it is empty. */
  readonly below?: (row: Row) => string;
}

const GAP = '  ';
/** What the last column keeps while others can give way, and what it keeps on any screen. */
const LAST_LEAST = 30;
const LAST_SHORTEST = 12;

/** Rows under headers. Outside text is made safe for a terminal. */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  style: TableStyle<Row> = {},
): string {
  const { paint = plain, columns: screen = Number.POSITIVE_INFINITY, below } = style;
  const shown = fitToScreen(
    columns.map((column) => measured(column, rows)),
    screen,
  );
  const line = (cells: readonly string[]): string => cells.join(GAP).trimEnd();
  const lines = rows.flatMap((row, at) => {
    const cells = shown.map(({ column, texts, width }, index) => {
      const text = fitted(texts[at] ?? '', width, index === shown.length - 1);
      return column.painted === undefined ? text : column.painted(text, row, paint);
    });
    const note = printableLine(below?.(row) ?? '');
    return [line(cells), ...(note === '' ? [] : [paint('dim', cutToWidth(`${GAP}${note}`, screen))])];
  });
  const header = shown.map(({ column, width }, index) =>
    fitted(column.header, width, index === shown.length - 1),
  );
  return [paint('bold', line(header)), ...lines].map((text) => `${text}\n`).join('');
}

interface Measured<Row> {
  readonly column: Column<Row>;
  readonly texts: readonly string[];
  readonly width: number;
}

function measured<Row>(column: Column<Row>, rows: readonly Row[]): Measured<Row> {
  const texts = rows.map((row) => printableLine(column.value(row)));
  return { column, texts, width: Math.max(displayWidth(column.header), ...texts.map(displayWidth)) };
}

/** Leaves out and narrows columns until the rest has its least width on the screen. */
function fitToScreen<Row>(all: readonly Measured<Row>[], screen: number): readonly Measured<Row>[] {
  const gaps = GAP.length * (all.length - 1);
  const leastOf = ({ column, width }: Measured<Row>): number =>
    Math.min(width, column === all.at(-1)?.column ? LAST_LEAST : (column.least ?? width));
  const [first] = all
    .filter(({ column }) => column.drop !== undefined)
    .toSorted((a, b) => (a.column.drop ?? 0) - (b.column.drop ?? 0));
  if (sum(all.map(leastOf)) + gaps > screen && first !== undefined)
    return fitToScreen(
      all.filter((each) => each !== first),
      screen,
    );
  const widths = all.map(({ width }) => width);
  let excess = sum(widths) + gaps - screen;
  for (; excess > 0; excess--) {
    const room = all.map((each, index) => (widths[index] ?? 0) - leastOf(each));
    const widest = room.indexOf(Math.max(...room));
    if ((room[widest] ?? 0) <= 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  const last = widths.length - 1;
  if (excess > 0) widths[last] = Math.max(LAST_SHORTEST, (widths[last] ?? 0) - excess);
  return all.map((each, index) => ({ ...each, width: widths[index] ?? each.width }));
}

function fitted(text: string, width: number, isLast: boolean): string {
  const cut = cutToWidth(text, width);
  return isLast ? cut : padded(cut, width);
}

/** `label  value` lines; further lines of a value, and what does not fit the screen, are indented below its first. */
export function fields(
  pairs: readonly (readonly [label: string, value: string])[],
  { paint = plain, columns = Number.POSITIVE_INFINITY }: Pick<TableStyle, 'paint' | 'columns'> = {},
): string {
  const width = Math.max(0, ...pairs.map(([label]) => label.length));
  const room = Math.max(LAST_LEAST, columns - width - GAP.length);
  return pairs
    .map(([label, value]) => {
      const lines = value.split('\n').flatMap((line) => wrapLine(line, room));
      const indented = lines.join(`\n${' '.repeat(width + GAP.length)}`);
      return `${paint('bold', label.padEnd(width))}${GAP}${indented}\n`;
    })
    .join('');
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
