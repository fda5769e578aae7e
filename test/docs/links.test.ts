import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages, proseOf, ROOT, type Page } from './pages.ts';

const PAGES = pages();

describe('links', () => {
  it.each(PAGES.map((page) => [page.path, page] as const))('in %s lead somewhere', (_, page) => {
    expect(linksOf(page).filter((link) => !leadsSomewhere(page, link))).toEqual([]);
  });

  it('to nowhere would be found', () => {
    const page = { path: 'README.md', text: '' };
    expect(leadsSomewhere(page, 'docs/nothing.md')).toBe(false);
    expect(leadsSomewhere(page, 'docs/status.md#nothing')).toBe(false);
    expect(leadsSomewhere(page, 'docs/status.md#stuck')).toBe(true);
  });
});

describe('pages', () => {
  it.each(PAGES.map(({ path, text }) => [path, text] as const))(
    '%s names no place of one machine',
    (_, text) => {
      expect(text.match(/\/(?:home|root|Users|tmp|work|private|mnt)\/\S*/g)).toBeNull();
    },
  );

  it.each(PAGES.map(({ path, text }) => [path, text] as const))(
    '%s mentions no issue by number',
    (_, text) => {
      expect(text.match(/(?:^|[\s(])#\d+\b/gm)).toBeNull();
    },
  );

  it('of docs can be found from the README', () => {
    const reached = new Set(['README.md']);
    for (const path of reached) {
      const page = PAGES.find((each) => each.path === path);
      for (const link of page === undefined ? [] : linksOf(page))
        reached.add(join(dirname(path), fileOf(link)));
    }
    const alone = PAGES.map(({ path }) => path).filter((path) => !reached.has(path));
    expect(alone.filter((path) => !reached.has(dirname(path)))).toEqual([]);
  });
});

function linksOf(page: Page): string[] {
  return [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
}

function leadsSomewhere(page: Page, link: string): boolean {
  const anchor = link.split('#')[1];
  const file = fileOf(link) === '' ? page.path : join(dirname(page.path), fileOf(link));
  if (!existsSync(join(ROOT, file))) return false;
  return anchor === undefined || anchorsOf(readFileSync(join(ROOT, file), 'utf8')).includes(anchor);
}

function fileOf(link: string): string {
  return link.split('#')[0] ?? '';
}

/** As the places that show Markdown make them. */
function anchorsOf(text: string): string[] {
  return [...proseOf({ path: '', text }).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
