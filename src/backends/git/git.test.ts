import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { git } from './git.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-git-'));
  execFileSync('git', ['init', '--quiet', directory]);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("Fleet's own git", () => {
  it('says what went wrong', async () => {
    const { ok, stderr } = await git(directory, ['rev-parse', '--verify', 'nowhere']);
    expect({ ok, stderr }).toMatchObject({ ok: false, stderr: expect.stringContaining('fatal') as string });
  });

  it('reads its input', async () => {
    const { stdout } = await git(directory, ['hash-object', '--stdin'], { input: 'text\n' });
    expect(stdout).toBe('8e27be7d6154a1f68ea9160ef0e18691d20560dc\n');
  });
});
