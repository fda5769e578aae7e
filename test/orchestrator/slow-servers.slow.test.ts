import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isReady, poolWith, readyPool } from './pool-under-test.ts';
import { upstream } from './upstream-place.ts';

/** Longer than the probe is waited for. */
const SLOW_MS = '400';
const limits = { probe_ms: 100 };
const entry = (kind: string, wait_ms: string, env = {}) => ({
  args: [kind, wait_ms],
  timeout: 30_000,
  env,
});

const asked = (log: string) => readFileSync(log, 'utf8').match(/^(server\/discover|initialize)$/gm);

describe('a server that starts slower than the probe of the new protocol waits', () => {
  it.each([
    ['speaks the new protocol and refuses the old one', 'modern', 'modern'],
    ['speaks the new protocol and has lost the first probe', 'strict', 'modern'],
    ['speaks the old protocol and ignores the probe', 'legacy', 'legacy'],
    ['speaks both', 'both', 'modern'],
  ])('and %s connects', async (_what, kind, era) => {
    await using pool = await readyPool('slow-era', { limits, entry: entry(kind, SLOW_MS) });
    expect(pool.connection('lab')).toMatchObject({ era });
    expect(await pool.call('lab__work')).toMatchObject({ success: true });
  });

  it('and speaks neither says which versions it speaks', async () => {
    await using pool = await poolWith({ lab: upstream('slow-era', entry('other', SLOW_MS)) }, { limits });
    const { error } = await pool.until('lab', (connection) => connection.error !== undefined);
    expect(error).toBe(
      'it speaks the protocol versions 2031-01-01, and Fleet 2026-07-28 and 2025-11-25 or older',
    );
  });

  it('and is not known to speak the old protocol alone is probed again the next time', async () => {
    const home = mkdtempSync(join(tmpdir(), 'fleet-slow-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const log = join(home, 'log');
    const servers = { lab: upstream('slow-era', entry('legacy', '0', { LAB_LOG: log })) };
    for (const _start of [1, 2]) {
      await using pool = await poolWith(servers, { limits, home });
      await pool.until('lab', isReady);
    }
    expect(asked(log)).toEqual(['server/discover', 'initialize', 'server/discover', 'initialize']);
  });
});

describe('a server whose time to connect is short', () => {
  it('and that ignores the probe connects within it', async () => {
    await using pool = await readyPool('slow-era', {
      entry: { args: ['legacy', '0'], timeout: 6_000 },
      limits: { probe_ms: 60_000 },
    });
    expect(pool.connection('lab')).toMatchObject({ era: 'legacy' });
  });
});

describe('a server that refused the probe', () => {
  it('is greeted in the old protocol at once the next time, and probed when it no longer speaks it', async () => {
    const home = mkdtempSync(join(tmpdir(), 'fleet-era-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const log = join(home, 'log');
    const servers = { lab: upstream('slow-era', entry(join(home, 'kind'), '0', { LAB_LOG: log })) };
    for (const [kind, era] of [
      ['old', 'legacy'],
      ['old', 'legacy'],
      ['modern', 'modern'],
    ] as const) {
      writeFileSync(join(home, 'kind'), kind);
      await using pool = await poolWith(servers, { home });
      await pool.until('lab', isReady);
      expect(pool.connection('lab')).toMatchObject({ era });
    }
    expect(asked(log)).toEqual([
      'server/discover',
      'initialize',
      'initialize',
      'initialize',
      'server/discover',
    ]);
  });
});
