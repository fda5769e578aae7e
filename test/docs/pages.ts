import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');

export interface Page {
  /** From the top of the repository on. */
  readonly path: string;
  readonly text: string;
}

export interface Block {
  readonly language: string;
  readonly content: string;
}

/** Every page for a reader; what a measurement wrote is not one. */
export function pages(): readonly Page[] {
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
  return [...readdirSync(ROOT), ...docs.map((file) => join('docs', file))]
    .filter((path) => path.endsWith('.md') && path !== join('docs', 'bench.md'))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

export function blocksOf({ text }: Page, ...languages: readonly string[]): readonly Block[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .map(([, language = '', content = '']) => ({ language, content }))
    .filter(({ language }) => languages.includes(language));
}

/** The text without its blocks of code. */
export function proseOf({ text }: Page): string {
  return text.replaceAll(/^```\w*\n[\s\S]*?^```$/gm, '');
}

export function inlineCodeOf(page: Page): readonly string[] {
  return [...proseOf(page).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}
