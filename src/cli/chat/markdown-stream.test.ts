import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plain, type Paint } from '../output/output.ts';
import { MarkdownStream } from './markdown-stream.ts';

const tagged: Paint = (style, text) => `<${style}>${text}</${style}>`;

function render(
  pieces: readonly string[],
  { paint = plain, columns = Number.POSITIVE_INFINITY }: { paint?: Paint; columns?: number } = {},
): string {
  let out = '';
  const stream = new MarkdownStream({ write: (text) => (out += text), paint, columns });
  for (const piece of pieces) stream.push(piece);
  stream.end();
  return out;
}

describe('Markdown on a terminal', () => {
  it('has headings, lists, code and marked words', () => {
    const text = '# Done\n\n- **sony** has `a.ts`\n1. one\n> said\n\n```ts\nconst a = `b`;\n```\nThe end.';
    expect(render([text], { paint: tagged })).toBe(
      [
        '<bold>Done</bold>',
        '',
        '• <bold>sony</bold> has <cyan>a.ts</cyan>',
        '1. one',
        '<dim>│ </dim>said',
        '',
        '<dim>ts</dim>',
        '  <cyan>const a = `b`;</cyan>',
        'The end.',
        '',
      ].join('\n'),
    );
  });

  it('keeps names with underscores and single stars', () => {
    expect(render(['call list_agents and show_agent, 2 * 3 = 6'])).toBe(
      'call list_agents and show_agent, 2 * 3 = 6\n',
    );
  });

  it('wraps words at the width of the terminal, below the text of a list item', () => {
    const lines = render(['- one two three four five six seven eight'], { columns: 20 }).split('\n');
    expect(lines).toEqual(['• one two three four', '  five six seven', '  eight', '']);
  });

  it('prints a word as soon as it is complete', () => {
    let out = '';
    const stream = new MarkdownStream({ write: (text) => (out += text), paint: plain, columns: 80 });
    stream.push('Hello wor');
    expect(out).toBe('Hello');
    stream.push('ld, more');
    expect(out).toBe('Hello world,');
  });

  it('escapes control characters', () => {
    expect(render(['a\u001b[2Jb'])).toBe(String.raw`a\x1b[2Jb` + '\n');
  });

  it('does not depend on how the text is cut into pieces', () => {
    const words = fc.constantFrom('a', '**b**', '`c d`', '# ', '- ', '\n', ' ', '```\n', 'x_y', '1. ', '> ');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), fc.array(fc.nat(40)), (all, cuts) => {
        const text = all.join('');
        const pieces: string[] = [];
        let at = 0;
        for (const length of cuts) {
          pieces.push(text.slice(at, at + length));
          at += length;
        }
        pieces.push(text.slice(at));
        expect(render(pieces, { paint: tagged, columns: 30 })).toBe(
          render([text], { paint: tagged, columns: 30 }),
        );
      }),
    );
  });
});
