import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { git } from './git.ts';

let directory: string;
const plain = (...args: string[]): void => {
  execFileSync('git', ['-C', directory, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
    stdio: 'pipe',
  });
};

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-git-'));
  plain('init', '--quiet');
  plain('commit', '--quiet', '--allow-empty', '-m', 'first');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("Fleet's own git", () => {
  it.each(['clean', 'process'])('runs no %s filter that a repository configures', async (kind) => {
    const trap = join(directory, 'ran');
    plain('config', `filter.evil.${kind}`, `touch '${trap}'; cat`);
    plain('config', 'filter.evil.required', 'true');
    writeFileSync(join(directory, '.gitattributes'), '* filter=evil\n');
    writeFileSync(join(directory, 'file'), 'content\n');
    expect(await git(directory, ['add', '--all'])).toMatchObject({ ok: true });
    expect(await git(directory, ['status', '--porcelain'])).toMatchObject({ ok: true });
    expect(existsSync(trap)).toBe(false);
  });

  it('runs no hook and no external diff that a repository configures', async () => {
    const trap = join(directory, 'ran');
    writeFileSync(join(directory, '.git', 'hooks', 'post-index-change'), `#!/bin/sh\ntouch '${trap}'\n`, {
      mode: 0o755,
    });
    plain('config', 'diff.external', `touch '${trap}'`);
    plain('config', 'core.fsmonitor', `touch '${trap}'`);
    writeFileSync(join(directory, 'file'), 'content\n');
    await git(directory, ['add', '--all']);
    await git(directory, ['diff', '--no-ext-diff', 'HEAD']);
    expect(existsSync(trap)).toBe(false);
  });

  it('says what went wrong', async () => {
    const { ok, stderr } = await git(directory, ['rev-parse', '--verify', 'nowhere']);
    expect({ ok, stderr }).toMatchObject({ ok: false, stderr: expect.stringContaining('fatal') as string });
  });
});
