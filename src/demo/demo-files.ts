/** The small project that the demo's agents work on: real code with a real test, one of which fails. */
export const DEMO_FILES: Readonly<Record<string, string>> = {
  'README.md': `# tiny-kit

Small helpers with tests. \`node --test\` runs them.
`,
  'package.json': `{
  "name": "tiny-kit",
  "version": "0.1.0",
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  'stats.js': `export function mean(numbers) {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
`,
  'stats.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { mean } from './stats.js';

test('mean of some numbers', () => {
  assert.equal(mean([1, 2, 6]), 3);
});
`,
  'slug.js': `export function slug(title) {
  return title.toLowerCase().replace(' ', '-');
}
`,
  'slug.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { slug } from './slug.js';

test('slug of a title with several words', () => {
  assert.equal(slug('A Fleet of Agents'), 'a-fleet-of-agents');
});
`,
};
