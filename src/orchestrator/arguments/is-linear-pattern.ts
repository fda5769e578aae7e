/** One character, or a class of them, and how often it comes. */
const ATOM =
  /(?:[^\\^$*+?()[\]{}|]|\\[dDwWsS]|\\u[0-9a-fA-F]{4}|\\[^\p{L}\p{N}]|\[(?:[^\\[\]]|\\[^])*\])(\*|\+|\?|\{\d+(?:,\d*)?\})?\??/uy;

/** How many characters a pattern may look at from each place in a text. */
const MOST_LOOKED_AT = 256;

/** True when a backtracking engine surely judges every text in a time that grows as its length does. Many patterns that
 *  are as good are not known to be: groups, alternatives, and two parts of any length. */
export function isLinearPattern(pattern: string): boolean {
  const anchored = pattern.startsWith('^');
  const body = pattern.slice(anchored ? 1 : 0).replace(/(?<!\\)\$$/, '');
  let lookedAt = 0;
  // A pattern that is not anchored is tried from every place: that is one part of any length.
  let anyLength = anchored ? 0 : 1;
  ATOM.lastIndex = 0;
  for (let at = 0; at < body.length; at = ATOM.lastIndex) {
    const [least, most] = timesOf(ATOM.exec(body)?.[1], ATOM.lastIndex > at);
    if (least === undefined || most === undefined) return false;
    if (least !== most) anyLength += 1;
    lookedAt += Number.isFinite(most) ? most : Math.max(least, 1);
  }
  return anyLength <= 1 && lookedAt <= MOST_LOOKED_AT;
}

function timesOf(quantifier: string | undefined, found: boolean): readonly [number?, number?] {
  if (!found) return [];
  if (quantifier === undefined) return [1, 1];
  if (quantifier === '?') return [0, 1];
  if (quantifier === '*') return [0, Infinity];
  if (quantifier === '+') return [1, Infinity];
  const [least = '', most = least] = quantifier.slice(1, -1).split(',');
  return [Number(least), most === '' ? Infinity : Number(most)];
}
