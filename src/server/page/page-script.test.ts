import { createContext, runInContext } from 'node:vm';
import { expect, it, vi } from 'vitest';
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

it('uses the code of a link only after a click', async () => {
  const elements = new Map<string, Element & { click?: () => void; hidden?: boolean }>();
  const byId = (id: string): Element => {
    const known = elements.get(id) ?? Object.assign(new Element(), { hidden: true });
    Object.assign(known, {
      addEventListener: (_: string, listener: () => void) => Object.assign(known, { click: listener }),
    });
    elements.set(id, known);
    return known;
  };
  const fetched: string[] = [];
  const used = createContext({
    document: { createElement: () => new Element(), getElementById: byId },
    localStorage: { getItem: () => null, removeItem: () => {}, setItem: () => {} },
    location: { search: '?code=abc' },
    history: { replaceState: () => {} },
    fetch: async (path: string, { headers }: { headers: object }) => {
      fetched.push(`${path} ${JSON.stringify(headers)}`);
      return { ok: true, json: async () => ({ secret: 's' }) };
    },
    setInterval: () => {},
    URLSearchParams,
  });
  runInContext(PAGE_SCRIPT, used);
  await new Promise((resolve) => setImmediate(resolve));
  expect(fetched).toEqual([]);
  expect(elements.get('confirm')?.hidden).toBe(false);
  elements.get('confirm-button')?.click?.();
  await vi.waitFor(() => expect(fetched).toEqual(['/session {"Authorization":"Code abc"}']));
  expect(elements.get('confirm')?.hidden).toBe(true);
});
