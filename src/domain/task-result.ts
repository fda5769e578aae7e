import type { TaskEnd } from './task.ts';
import { cut, LIST_TEXT_LIMIT } from './values/text.ts';

export interface TaskEnding {
  readonly state: TaskEnd;
  readonly result: string | null;
}

/** Bytes of a result, beyond which is cut. */
export const RESULT_BYTES = 4096;

/** The result of a task: what the agent said last, and before it the reason when the task did not complete. */
export function taskResult(ended: {
  readonly state: TaskEnd;
  readonly reason: string;
  readonly output?: string;
}): string | null {
  const output = ended.output?.trim() ?? '';
  const parts = ended.state === 'complete' ? [output] : [ended.reason, output];
  const text = parts.filter((part) => part !== '').join('\n');
  return text === '' ? null : firstBytes(text, RESULT_BYTES);
}

/** How a task ended, as lists show it. */
export function briefEnd(end: TaskEnding | null): TaskEnding | null {
  return end === null || end.result === null ? end : { ...end, result: briefResult(end.state, end.result) };
}

/** A result on one short line: its last line, and before it the reason when the task did not complete. */
export function briefResult(state: TaskEnd, result: string): string {
  const lines = result.split('\n').filter((line) => line.trim() !== '');
  const [first = '', ...rest] = lines;
  const last = rest.at(-1);
  const text =
    state === 'complete' ? (last ?? first) : [first, ...(last === undefined ? [] : [last])].join(' … ');
  return cut(text.trim(), LIST_TEXT_LIMIT);
}

/** As much of a text as fits from its beginning, with a mark where it was cut. */
export function firstBytes(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text;
  const mark = '…';
  const kept = Buffer.from(text).subarray(0, limit - Buffer.byteLength(mark));
  return `${kept.toString('utf8').replace(/\uFFFD+$/, '')}${mark}`;
}

/** The last lines of what a program prints, within the size of a result. */
export class LastLines {
  readonly #lines: string[] = [];
  #bytes = 0;

  push(line: string): void {
    const kept = lastBytes(line, RESULT_BYTES - 1);
    this.#lines.push(kept);
    this.#bytes += sizeOf(kept);
    while (this.#bytes > RESULT_BYTES) this.#bytes -= sizeOf(this.#lines.shift() ?? '');
  }

  get text(): string {
    return this.#lines.join('\n');
  }
}

function sizeOf(line: string): number {
  return Buffer.byteLength(line) + 1;
}

function lastBytes(text: string, limit: number): string {
  if (text.length <= limit / 4 || Buffer.byteLength(text) <= limit) return text;
  return Buffer.from(text)
    .subarray(-limit)
    .toString('utf8')
    .replace(/^\uFFFD+/, '');
}
