import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { capFile } from './cap-file.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-cap-'));
  file = join(directory, 'runner.log');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `complaint ${index + 1}\n`).join('');

describe('a file that is capped', () => {
  it('keeps whole lines of its end, and who has it open goes on behind them', () => {
    writeFileSync(file, lines(100_000));
    const open = openSync(file, 'a');
    capFile(file);
    writeSync(open, 'one more\n');
    closeSync(open);
    const left = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(left.at(-1)).toBe('one more');
    expect(left.at(-2)).toBe('complaint 100000');
    expect(left[0]).toMatch(/^complaint \d+$/);
    expect(left.length).toBeGreaterThan(1_000);
    expect(readFileSync(file).length).toBeLessThanOrEqual(65 * 1024);
  });

  it('is left alone while it is small, and need not be there', () => {
    appendFileSync(file, lines(10));
    capFile(file);
    expect(readFileSync(file, 'utf8')).toBe(lines(10));
    expect(() => capFile(join(directory, 'nothing'))).not.toThrow();
  });
});
