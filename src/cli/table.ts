import { plain, type Paint } from './output.ts';
import { printableLine } from './printable.ts';

export interface Column<Row> {
  readonly header: string;
  readonly value: (row: Row) => string;
  readonly painted?: (text: string, row: Row, paint: Paint) => string;
}

export interface TableStyle {
  /** Columns of the screen; the last column of the table is cut to fit. */
  readonly columns?: number;
  readonly paint?: Paint;
}

const GAP = '  ';
const LEAST_LAST = 12;

/** Rows under headers, with what is outside text made safe for a terminal. */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  style: TableStyle = {},
): string {
  const { paint = plain } = style;
  const cells = rows.map((row) => columns.map((column) => printableLine(column.value(row))));
  const widths = columns.map((column, index) =>
    Math.max(displayWidth(column.header), ...cells.map((line) => displayWidth(line[index] ?? ''))),
  );
  const last = columns.length - 1;
  const room = (style.columns ?? Number.POSITIVE_INFINITY) - sum(widths.slice(0, last)) - GAP.length * last;
  const fit = (text: string, index: number) =>
    index === last ? cutToWidth(text, Math.max(LEAST_LAST, room)) : padded(text, widths[index] ?? 0);
  const header = columns.map((column, index) => fit(column.header, index)).join(GAP);
  const lines = rows.map((row, at) =>
    columns
      .map((column, index) => {
        const text = fit(cells[at]?.[index] ?? '', index);
        return column.painted === undefined ? text : column.painted(text, row, paint);
      })
      .join(GAP)
      .trimEnd(),
  );
  return [paint('bold', header.trimEnd()), ...lines].map((line) => `${line}\n`).join('');
}

/** `label  value` lines; a value of several lines is indented below its first. */
export function fields(
  pairs: readonly (readonly [label: string, value: string])[],
  paint: Paint = plain,
): string {
  const width = Math.max(0, ...pairs.map(([label]) => label.length));
  return pairs
    .map(([label, value]) => {
      const indented = value.replaceAll('\n', `\n${' '.repeat(width + GAP.length)}`);
      return `${paint('bold', label.padEnd(width))}${GAP}${indented}\n`;
    })
    .join('');
}

/** How many columns of a terminal a text takes. */
export function displayWidth(text: string): number {
  // eslint-disable-next-line no-control-regex -- plain ASCII is the common case
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation})$/u;

function characterWidth(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

function cutToWidth(text: string, limit: number): string {
  if (displayWidth(text) <= limit) return text;
  let width = 0;
  let kept = '';
  for (const character of text) {
    width += characterWidth(character);
    if (width > limit - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
