import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LastLook } from './last-look.ts';
import type { Look } from './look.ts';

const SEEN: Look = {
  head: undefined,
  branch: 'main',
  tips: [],
  remotes: [],
  subject: null,
  behind: 0,
  ahead: 0,
  shortstat: '',
  status: '',
};
const PAST = new Date(0);
let root: string;
let looks: number;
const inWork = (...path: string[]): string => join(root, 'work', ...path);
const see = (context = 'base', last = new LastLook(join(root, 'last-look.json'), inWork())): Promise<Look> =>
  last.look(context, async () => ({ ...SEEN, behind: ++looks }));

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fleet-look-'));
  looks = 0;
  for (const directory of ['.git/refs/heads', '.git/objects', 'src'])
    mkdirSync(inWork(directory), { recursive: true });
  for (const file of ['.git/HEAD', '.git/refs/heads/main', 'src/a.ts']) writeFileSync(inWork(file), 'one');
  utimesSync(inWork('src/a.ts'), PAST, PAST);
});
afterEach(() => rmSync(root, { recursive: true }));

describe('the last look at a workspace', () => {
  it('stands for another process too, as long as no file has changed', async () => {
    expect([await see(), await see(), await see()]).toEqual(
      Array.from({ length: 3 }, () => ({ ...SEEN, behind: 1 })),
    );
  });

  const changes: readonly (readonly [string, () => void])[] = [
    ['a file of the same size, with its old time', () => writeFileSync(inWork('src/a.ts'), 'two')],
    ['a new file', () => writeFileSync(inWork('src/b.ts'), '')],
    ['a removed file', () => rmSync(inWork('src/a.ts'))],
    ['a mode', () => chmodSync(inWork('src/a.ts'), 0o755)],
    ['a name', () => renameSync(inWork('src/a.ts'), inWork('src/c.ts'))],
    ['a branch', () => writeFileSync(inWork('.git', 'refs', 'heads', 'main'), 'two')],
    ['the settings of git', () => writeFileSync(inWork('.git', 'config'), '')],
  ];
  it.each(changes)('does not stand after a change of %s', async (_what, change) => {
    await see();
    change();
    utimesSync(inWork('src'), PAST, PAST);
    await see();
    expect(looks).toBe(2);
  });

  it('does not stand for another base', async () => {
    await see('base');
    await see('another base');
    expect(looks).toBe(2);
  });

  it('is not kept when a file changed meanwhile', async () => {
    const last = new LastLook(join(root, 'last-look.json'), inWork());
    await last.look('base', async () => {
      writeFileSync(inWork('src/a.ts'), 'two');
      return SEEN;
    });
    await see();
    expect(looks).toBe(1);
  });

  it('is not relied on for more files than it is worth, nor for a git directory elsewhere', async () => {
    renameSync(inWork('.git'), join(root, 'git'));
    symlinkSync(join(root, 'git'), inWork('.git'));
    await see();
    await see();
    expect(looks).toBe(2);
    rmSync(inWork('.git'));
    renameSync(join(root, 'git'), inWork('.git'));
    for (let file = 0; file < 5_000; file++) writeFileSync(inWork('src', String(file)), '');
    await see();
    await see();
    expect(looks).toBe(4);
  });

  it('that cannot be read is made again', async () => {
    await see();
    writeFileSync(join(root, 'last-look.json'), '{"sign":');
    await see();
    expect(looks).toBe(2);
  });

  it('remembers the files that were brought in, for the look that they belong to', async () => {
    const last = new LastLook(join(root, 'last-look.json'), inWork());
    last.keepFiles(await see('base', last), { tree: 'a tree', left_out: [] });
    const again = new LastLook(join(root, 'last-look.json'), inWork());
    expect(again.filesOf(await see('base', again))).toMatchObject({ tree: 'a tree' });
    writeFileSync(inWork('src/a.ts'), 'two');
    expect(again.filesOf(await see('base', again))).toBeUndefined();
  });
});
