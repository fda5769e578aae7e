import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCursor, writeCursor } from './diff-cursor.ts';
import { parseDiff } from './parse-diff.ts';
import { partOf, PatchSplitter, type PatchPart } from './patch-page.ts';
import { runsElsewhere } from './runs-elsewhere.ts';

const ID = 'a'.repeat(40);

describe('the files of a diff', () => {
  it('have their status, names, modes and counts, in the order of git', () => {
    const raw = [
      `:100644 100755 ${ID} ${ID} M\0a\tb.txt\0`,
      `:000000 100644 ${ID} ${ID} A\0.github/workflows/ci.yml\0`,
      `:100644 000000 ${ID} ${ID} D\0gone\0`,
      `:000000 100644 ${ID} ${ID} A\0\ttab\0`,
      `:100644 100644 ${ID} ${ID} R087\0old\0new\0`,
      `:100644 100644 ${ID} ${ID} M\0pic.png\0`,
      '3\t1\ta\tb.txt\0',
      '2\t0\t.github/workflows/ci.yml\0',
      '0\t9\tgone\0',
      '4\t0\t\ttab\0',
      '1\t1\t\0old\0new\0',
      '-\t-\tpic.png\0',
    ].join('');
    const files = parseDiff(Buffer.from(raw), new Set(['old', 'pic.png']));
    expect(files).toMatchObject([
      { path: 'a\tb.txt', status: 'modified', mode: '100755', insertions: 3, deletions: 1 },
      { path: '.github/workflows/ci.yml', status: 'added', runs_elsewhere: true, insertions: 2 },
      { path: 'gone', status: 'deleted', mode: '100644', deletions: 9, uncommitted: false },
      { path: '\ttab', insertions: 4 },
      { path: 'new', old_path: 'old', status: 'renamed', uncommitted: true, deletions: 1 },
      { path: 'pic.png', binary: true, insertions: 0, deletions: 0, uncommitted: true },
    ]);
  });

  it('are marked when others run or obey them', () => {
    for (const path of ['.gitlab-ci.yml', 'a/.envrc', '.claude/settings.json', 'fleet.yaml', '.gitmodules'])
      expect(runsElsewhere(path)).toBe(true);
    for (const path of ['src/fleet.yaml.ts', 'docs/.github.md', 'github/workflows/ci.yml', 'claude/a'])
      expect(runsElsewhere(path)).toBe(false);
  });
});

describe('the parts of a patch', () => {
  it('together are the patch, whatever their size', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.integer({ min: 4, max: 50 }),
        (text, most) => {
          const patch = Buffer.from(text);
          let offset: number | null = 0;
          let joined = '';
          while (offset !== null) {
            const part: { text: string; next: number | null } = partOf(patch, offset, most);
            expect(Buffer.byteLength(part.text)).toBeLessThanOrEqual(most);
            joined += part.text;
            offset = part.next;
          }
          expect(joined).toBe(text);
        },
      ),
    );
  });

  it('have their bytes beside the text where they are not UTF-8', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 4, max: 50 }), (bytes, most) => {
        const patch = Buffer.from(bytes);
        const parts: Buffer[] = [];
        let offset: number | null = 0;
        while (offset !== null) {
          const part: PatchPart = partOf(patch, offset, most);
          parts.push(part.base64 === undefined ? Buffer.from(part.text) : Buffer.from(part.base64, 'base64'));
          offset = part.next;
        }
        expect(Buffer.concat(parts)).toEqual(patch);
      }),
    );
  });

  it('end at the end of a line where there is one', () => {
    expect(partOf(Buffer.from('one\ntwo\nthree\n'), 0, 9)).toEqual({ text: 'one\ntwo\n', next: 8 });
  });

  it('are distinguished by their headers, however they are split on the way', () => {
    const printed = Buffer.from('diff --git a/x b/x\n+diff --git\n-x\ndiff --git a/y b/y\n+y');
    for (const size of [1, 3, 1000]) {
      const found = new Map<number, string>();
      const splitter = new PatchSplitter((section, line) =>
        found.set(section, `${found.get(section) ?? ''}${line.toString()}`),
      );
      for (let at = 0; at < printed.length; at += size) splitter.read(printed.subarray(at, at + size));
      splitter.end();
      expect([...found.values()]).toEqual([
        'diff --git a/x b/x\n+diff --git\n-x\n',
        'diff --git a/y b/y\n+y',
      ]);
    }
  });
});

describe('the cursor of a diff', () => {
  const cursor = {
    branch: 'fleet/sony',
    base: ID,
    head: null,
    from_tree: ID,
    to_tree: 'b'.repeat(64),
    notes: ['one'],
    file: 3,
    offset: 17,
  };

  it('is read as it was written', () => {
    expect(readCursor(writeCursor(cursor))).toEqual(cursor);
  });

  it('is refused when it is not one', () => {
    const bad = [
      { ...cursor, from_tree: 'HEAD' },
      { ...cursor, to_tree: '--output=x' },
      { ...cursor, offset: -1 },
      { ...cursor, file: 1.5 },
      { ...cursor, base: 'main' },
      { ...cursor, notes: 'x' },
      { ...cursor, branch: 7 },
    ].map((each) => Buffer.from(JSON.stringify(each)).toString('base64url'));
    for (const text of ['', 'x', ...bad])
      expect(() => readCursor(text)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});
