/** A part of something tall, from its top, in pixels. */
export type Range = readonly [from: number, to: number];

/** What was seen so far, with one more part of it. Parts that touch are one. */
export function withRange(seen: readonly Range[], [from, to]: Range): readonly Range[] {
  if (to <= from) return seen;
  const touching = seen.filter(([start, end]) => start <= to + 1 && end >= from - 1);
  const joined: Range = [
    Math.min(from, ...touching.map(([start]) => start)),
    Math.max(to, ...touching.map(([, end]) => end)),
  ];
  return [...seen.filter((each) => !touching.includes(each)), joined].toSorted(
    ([one], [other]) => one - other,
  );
}

/** Where what was not seen begins; undefined when all of it was. */
export function firstUnseen(seen: readonly Range[], height: number): number | undefined {
  const [first] = seen;
  const end = first === undefined || first[0] > 1 ? 0 : first[1];
  return end >= height - 1 ? undefined : end;
}
