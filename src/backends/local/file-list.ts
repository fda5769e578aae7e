import { lstatSync, type Stats } from 'node:fs';
import type { BorrowedGit } from './borrowed-git.ts';

/** An entry of an index. Paths are bytes, one character each: names of files need not be text. */
export interface IndexEntry {
  /** As `git ls-files -v` shows it: lower case when changes are not looked for, S when the file need not be there. */
  readonly tag: string;
  readonly mode: string;
  readonly object: string;
  readonly stage: number;
  readonly path: string;
}

export const GITLINK = '160000';

export async function indexEntries(git: BorrowedGit): Promise<readonly IndexEntry[]> {
  const listed = listOf(await git.bytes(['ls-files', '--stage', '-v', '-z']));
  return listed.map((line) => {
    const [head, path] = cutAt(line, '\t');
    const [tag = '', mode = '', object = '', stage = ''] = head.split(' ');
    return { tag, mode, object, stage: Number(stage), path };
  });
}

/** What the worktree has that the index has not, or not so. Git does not look into repositories: they end with a slash. */
export async function listFiles(git: BorrowedGit, args: readonly string[]): Promise<readonly string[]> {
  const { ok, stdout, stderr } = await git.try(['ls-files', '-z', ...args]);
  const unread = /^warning: could not open directory .*$/m.exec(stderr);
  if (!ok || unread !== null) throw new Error(`git ls-files failed: ${unread?.[0] ?? stderr.trim()}`);
  return [...new Set(listOf(stdout))];
}

export function listOf(bytes: Buffer): string[] {
  return bytes.toString('latin1').split('\0').slice(0, -1);
}

export function bytesOf(paths: readonly string[]): Buffer {
  return Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
}

export function pathIn(directory: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(path, 'latin1')]);
}

export function statOf(directory: string, path: string): Stats | undefined {
  try {
    return lstatSync(pathIn(directory, path));
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw thrown;
  }
}

/** A path for people. */
export function pathText(path: string): string {
  return Buffer.from(path, 'latin1').toString();
}

function cutAt(text: string, mark: string): [string, string] {
  const place = text.indexOf(mark);
  return [text.slice(0, place), text.slice(place + mark.length)];
}
