/** The way to a value in the file: names of keys, and numbers of list entries. */
export type KeyPath = readonly (string | number)[];

/** `projects.Setup.copy[0]`; a name that is more than a word is quoted. */
export function fieldOf(path: KeyPath): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      if (!/^[\p{L}\p{M}\p{N}_$-]+$/u.test(part)) return `[${JSON.stringify(shorten(part))}]`;
      return index === 0 ? shorten(part) : `.${shorten(part)}`;
    })
    .join('');
}

export function valueAt(root: unknown, path: KeyPath): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

function shorten(part: string): string {
  return part.length > 200 ? `${part.slice(0, 197)}…` : part;
}
