import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configJsonSchema } from '../../src/config/config-json-schema.ts';
import { parseConfig } from '../../src/config/parse-config.ts';
import { checkSpec } from '../../src/domain/spec.ts';
import { blocksOf, inlineCodeOf, pages, ROOT, type Page } from './pages.ts';

const PAGES = pages();

describe('snippets', () => {
  it.each(withBlocks('yaml'))('of YAML in %s are a configuration or a spec', (path, contents) => {
    for (const text of contents) {
      // A part of a configuration would be taken for a spec, and a reader could not use it as it stands.
      if (!/^(?:version|backend|backends|projects|roles|mcpServers|views):/m.test(text)) {
        expect(checkSpec(text)).toBe(text);
      } else expect(parseConfig({ text, path: join(ROOT, path), env: { HOME: ROOT } }).warnings).toEqual([]);
    }
  });

  it.each(withBlocks('json'))('of JSON in %s can be read', (_, contents) => {
    for (const text of contents) expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  it('are there', () => {
    expect(withBlocks('yaml').length).toBeGreaterThan(2);
    expect(withBlocks('json').length).toBeGreaterThan(2);
  });
});

describe('configuration.md', () => {
  const page = PAGES.find(({ path }) => path === join('docs', 'configuration.md'));
  const words = new Set(page === undefined ? [] : inlineCodeOf(page));

  it.each([...keysOf(configJsonSchema())])('has the key %s', (key) => {
    expect(words).toContain(key);
  });
});

function withBlocks(language: string): (readonly [string, readonly string[]])[] {
  return PAGES.map(
    (page: Page) => [page.path, blocksOf(page, language).map(({ content }) => content)] as const,
  ).filter(([, contents]) => contents.length > 0);
}

/** Every name of a property, wherever it stands in a schema. */
function keysOf(schema: unknown): Set<string> {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'properties' && isPropertyMap(inner))
        for (const name of Object.keys(inner)) found.add(name);
      visit(inner);
    }
  };
  visit(schema);
  return found;
}

function isPropertyMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
