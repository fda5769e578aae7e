const PHRASE = /read-only file system|\bEROFS\b/i;
const QUOTED = /['"`‘“](\/[^'"`’”\n]+)['"`’”]/;
const BARE = /(?<![\w./-])(\/[^\s:;,'"`()]+)/;

/** The path of which a program says that it lies on a read-only file system; undefined when it says so of none. */
export function refusedPath(text: string): string | undefined {
  const line = text.split('\n').find((each) => PHRASE.test(each));
  if (line === undefined) return undefined;
  return (QUOTED.exec(line) ?? BARE.exec(line))?.[1];
}
