import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CallLedger } from './call-ledger.ts';
import { Store } from './store.ts';

const SOURCES = fileURLToPath(new URL('.', import.meta.url));
const CALL = { actor: { principal: 'user:tester', door: 'cli' }, input: { n: 1 }, outcome: 'ok' } as const;
let home: string;
let store: Store;
let ledger: CallLedger;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fleet-spool-'));
  store = new Store(home);
  ledger = new CallLedger(store);
});
afterEach(() => {
  ledger[Symbol.dispose]();
  store[Symbol.dispose]();
  rmSync(home, { recursive: true, force: true });
});

describe('calls that are recorded soon', () => {
  it('are seen at once by the process that recorded them, in their order, and leave no file', () => {
    for (const operation of ['a', 'b', 'c']) ledger.recordSoon({ ...CALL, operation });
    expect(operations()).toEqual(['c', 'b', 'a']);
    ledger[Symbol.dispose]();
    expect(spools()).toEqual([]);
  });

  it('reach the store by themselves', async () => {
    ledger.recordSoon({ ...CALL, operation: 'a' });
    using other = new Store(home);
    await expect
      .poll(() => other.all('SELECT operation FROM audit'), { timeout: 20_000 })
      .toEqual([{ operation: 'a' }]);
  });

  it('outlive a process that is killed', () => {
    killed(`for (const operation of ['a', 'b']) ledger.recordSoon({ ...call, operation });`);
    expect(store.all('SELECT * FROM audit')).toEqual([]);
    expect(operations()).toEqual(['b', 'a']);
    expect(operations()).toEqual(['b', 'a']);
    expect(spools()).toEqual([]);
  });

  it('are taken over when the next process has something to record', () => {
    killed(`ledger.recordSoon({ ...call, operation: 'left' });`);
    ledger.recordSoon({ ...CALL, operation: 'new' });
    expect(store.all('SELECT operation FROM audit')).toEqual([{ operation: 'left' }]);
  });

  it('are there once when the process was killed between the store and its file', () => {
    killed(`ledger.recordSoon({ ...call, operation: 'a' });`);
    const [name = ''] = spools();
    const left = readFileSync(join(home, 'audit', name), 'utf8');
    expect(operations()).toEqual(['a']);
    writeFileSync(join(home, 'audit', name), left);
    expect(operations()).toEqual(['a']);
  });

  it('lose nothing to half a line, nor to a file that is none of theirs', () => {
    killed(`ledger.recordSoon({ ...call, operation: 'a' });`);
    const [name = ''] = spools();
    writeFileSync(join(home, 'audit', name), '["2026-01-01T', { flag: 'a' });
    writeFileSync(join(home, 'audit', 'stray'), '{"a": 1}\n');
    expect(operations()).toEqual(['a']);
  });

  it('of a process that lives are left to it', () => {
    ledger.recordSoon({ ...CALL, operation: 'a' });
    const other = new CallLedger(store);
    expect(other.auditRows(10)).toEqual([]);
    expect(spools()).toHaveLength(1);
    expect(operations()).toEqual(['a']);
  });

  it('are written one by one where no file can be made for them', () => {
    writeFileSync(join(home, 'audit'), '');
    ledger.recordSoon({ ...CALL, operation: 'a' });
    expect(store.all('SELECT operation FROM audit')).toEqual([{ operation: 'a' }]);
  });
});

function operations(): readonly string[] {
  return ledger.auditRows(10).map(({ operation }) => operation);
}

function spools(): readonly string[] {
  return readdirSync(join(home, 'audit'));
}

/** Runs a few lines in a process that is then ended by the kernel. */
function killed(lines: string): void {
  const script = `
    import { Store } from '${SOURCES}store.ts';
    import { CallLedger } from '${SOURCES}call-ledger.ts';
    const ledger = new CallLedger(new Store(${JSON.stringify(home)}));
    const call = ${JSON.stringify(CALL)};
    ${lines}
    process.kill(process.pid, 'SIGKILL');`;
  const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
  expect(signal).toBe('SIGKILL');
}
