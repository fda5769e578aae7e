/** Cuts a text at a number of characters, with a mark, and never inside a surrogate pair. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = isHighSurrogate(text.charCodeAt(limit - 2)) ? limit - 2 : limit - 1;
  return `${text.slice(0, end)}…`;
}

/** The kernel takes at most 128 KiB for one variable of a process's environment. */
const VARIABLE_BYTES = 120_000;

/** As much of a text as an environment variable can hold. */
export function variableText(text: string): string {
  if (Buffer.byteLength(text) <= VARIABLE_BYTES) return text;
  return Buffer.from(text)
    .subarray(0, VARIABLE_BYTES)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
}

/** A text without its final full stop, for use inside a sentence. */
export function withoutFullStop(text: string): string {
  return text.trimEnd().replace(/(?<!\.)\.$/, '');
}

/** A text on one line, without control characters. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** A text as one word for a shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export function cutOrNull(text: string | null, limit: number): string | null {
  return text === null ? null : cut(text, limit);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** In a list, texts are cut at this many characters. */
export const LIST_TEXT_LIMIT = 160;

/** The known word nearest to a mistyped one, when one is near enough to be meant. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: { word: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (best === undefined || distance < best.distance) best = { word: candidate, distance };
  }
  return best !== undefined && best.distance <= Math.max(2, Math.floor(word.length / 2))
    ? best.word
    : undefined;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The value of a JSON text; undefined when it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
