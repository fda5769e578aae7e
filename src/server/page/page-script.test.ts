import { createContext, runInContext } from 'node:vm';
import { expect, it } from 'vitest';
import { PAGE_SCRIPT } from './page-script.ts';

/** As much of an element as the script uses for a cell. */
class Element {
  textContent = '';
  append(...parts: readonly (string | Element)[]): void {
    for (const part of parts) this.textContent += typeof part === 'string' ? part : part.textContent;
  }
}

const page = createContext({
  document: { createElement: () => new Element(), getElementById: () => new Element() },
  localStorage: { getItem: () => null, removeItem: () => {} },
  location: { search: '' },
  setInterval: () => {},
  URLSearchParams,
});
runInContext(PAGE_SCRIPT, page);

it('says from when the git facts of an agent are', () => {
  const git = { changed_files: 1, insertions: 10, deletions: 2, as_of: new Date().toISOString() };
  expect(textOf(git)).toMatch(/^1 file, \+10 −2, as of \d+ s ago$/);
  expect(textOf({ ...git, as_of: null })).toBe('1 file, +10 −2');
  expect(textOf(null)).toBe('–');
});

function textOf(git: object | null): unknown {
  return runInContext(`gitCell(${JSON.stringify(git)}).textContent`, page);
}
