import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SignedState } from './signed-state.ts';

const home = mkdtempSync(join(tmpdir(), 'fleet-state-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('a signed state', () => {
  it('is taken once, by whatever process of the home, and never twice [MCP-approval-nonce]', () => {
    const [one, two] = [new SignedState(home), new SignedState(home)];
    const state = one.sign(['me', 'call']);
    two.redeem(state, ['me', 'call']);
    expect(() => two.redeem(state, ['me', 'call'])).toThrow(/used before/);
    expect(() => one.redeem(state, ['me', 'call'])).toThrow(/used before/);
  });

  it('is for the one it was given to, for that call, and for ten minutes', () => {
    let now = 1_000_000;
    const states = new SignedState(home, () => now);
    const state = states.sign(['me', 'call']);
    expect(() => states.redeem(state, ['you', 'call'])).toThrow(/not the one/);
    expect(() => states.redeem(state, ['me', 'another'])).toThrow(/not the one/);
    expect(() => states.redeem(state.replace(/^\d+/, '9999999999999'), ['me', 'call'])).toThrow(
      /not the one/,
    );
    expect(() => states.redeem('', ['me', 'call'])).toThrow(/not the one/);
    now += 11 * 60_000;
    expect(() => states.redeem(state, ['me', 'call'])).toThrow(/older than ten minutes/);
  });
});
