/** What is shown keeps its place, and what is new comes last: nobody answers another entry than the one they looked at. */
export function keptOrder(shown: readonly string[], waiting: readonly string[]): readonly string[] {
  const current = new Set(waiting);
  const known = new Set(shown);
  return [...shown.filter((id) => current.has(id)), ...waiting.filter((id) => !known.has(id))];
}

/** The entry to go on with when one is gone: the one that was below it, else the last. */
export function nextAfter(
  gone: string | undefined,
  before: readonly string[],
  now: readonly string[],
): string | undefined {
  const at = gone === undefined ? -1 : before.indexOf(gone);
  const below = at === -1 ? undefined : before.slice(at + 1).find((id) => now.includes(id));
  return below ?? (at === -1 ? now[0] : now.at(-1));
}
