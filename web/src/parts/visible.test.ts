import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { visible } from './visible.ts';

it('shows marks that hide or reorder text as their numbers, and leaves the rest', () => {
  expect(visible('a\u202Etxt.exe\u0007\u200B')).toBe('a⟨202e⟩txt.exe⟨7⟩⟨200b⟩');
  expect(visible('tab\t, line\r\nand 👩‍💻 é 日本')).toBe('tab\t, line\nand 👩‍💻 é 日本');
});

it('lets no control character and no mark of direction through', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(visible(text)).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/u);
      expect(visible(text)).not.toContain('\u001B');
    }),
  );
});
