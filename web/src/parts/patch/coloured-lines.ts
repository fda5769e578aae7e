/** A piece of a line: its text, and what it is in its language; empty for plain text. */
export interface Token {
  readonly text: string;
  readonly kind: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};

/** The lines of text that a highlighter has marked up with `<span class="hljs-kind">`. Nothing of it is used as markup. */
export function colouredLines(markup: string): readonly (readonly Token[])[] {
  const lines: Token[][] = [[]];
  const open: string[] = [];
  for (const [, kind, end, text] of markup.matchAll(
    /<span class="(?:hljs-)?([^" ]*)[^"]*">|(<\/span>)|([^<]+)/g,
  )) {
    if (kind !== undefined) open.push(kind);
    else if (end !== undefined) open.pop();
    else {
      const [first = '', ...rest] = decoded(text ?? '').split('\n');
      add(lines, first, open);
      for (const line of rest) {
        lines.push([]);
        add(lines, line, open);
      }
    }
  }
  return lines;
}

function add(lines: readonly Token[][], text: string, open: readonly string[]): void {
  if (text !== '') lines.at(-1)?.push({ text, kind: open.at(-1) ?? '' });
}

function decoded(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
}
