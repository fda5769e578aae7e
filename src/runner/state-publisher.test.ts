import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FactBody } from '../domain/fact.ts';
import { FLEET_ACTOR } from '../domain/principal.ts';
import type { AgentState } from '../domain/state.ts';
import { storageError } from '../domain/values/errors.ts';
import { systemClock } from '../platform/clock.ts';
import { StatePublisher } from './state-publisher.ts';
import { Journal } from './journal/journal.ts';

let directory: string;
let journal: Journal;
let statePublisher: StatePublisher;
let complaints: string[];
/** The kinds of the changes, one list for each time that something was published. */
let published: string[][];
let attempts: number;
let problem: Error | undefined;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(console, 'error').mockImplementation(() => {});
  directory = mkdtempSync(join(tmpdir(), 'fleet-publisher-'));
  journal = new Journal(join(directory, 'journal.db'), systemClock);
  complaints = [];
  published = [];
  attempts = 0;
  problem = undefined;
  let state: AgentState | undefined;
  statePublisher = new StatePublisher({
    journal,
    clock: systemClock,
    publisher: {
      published: () => state,
      publish: (summary, changes) => {
        attempts++;
        if (problem !== undefined) throw problem;
        state = summary.state;
        published.push(changes.map(({ kind }) => kind));
        return true;
      },
    },
    complain: (message) => complaints.push(message),
  });
});
afterEach(() => {
  problem = undefined;
  statePublisher.close();
  journal[Symbol.dispose]();
  rmSync(directory, { recursive: true, force: true });
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const say = (...bodies: readonly FactBody[]): void => void journal.append(FLEET_ACTOR, ...bodies);
const setMetadata = (value: string): FactBody => ({ kind: 'metadata.set', key: 'fleet_mcp_a', value });
/** Long enough for anything that is tried again. */
const later = (): Promise<unknown> => vi.advanceTimersByTimeAsync(60_000);

describe('facts', () => {
  it('of one request are published once, before the caller that appended them goes on', async () => {
    await (async () => say(setMetadata('a'), setMetadata('b')))();
    expect(published).toEqual([['metadata', 'metadata']]);
  });

  it('that an agent makes by working are published with its signs of life', async () => {
    say({ kind: 'usage', tokens: 1, cost: 0 });
    await Promise.resolve();
    expect(published).toEqual([]);
    statePublisher.publishProgress();
    expect(published).toHaveLength(1);
  });

  it('of a hold are published when it ends, whatever else is published meanwhile', async () => {
    {
      using _held = statePublisher.hold();
      say(setMetadata('a'));
      await Promise.resolve();
      statePublisher.publishFields(['tests']);
      statePublisher.publishProgress();
      expect(published).toEqual([]);
    }
    expect(published).toEqual([['metadata', 'metadata']]);
  });
});

describe('what cannot be published', () => {
  it('is published when the store is free again, with the fields that changed meanwhile', async () => {
    problem = storageError('state_locked', 'store.db');
    say(setMetadata('a'));
    await Promise.resolve();
    statePublisher.publishFields(['tests']);
    expect(published).toEqual([]);
    problem = undefined;
    await later();
    expect(published).toEqual([['metadata', 'metadata']]);
    expect(complaints).toEqual([]);
  });

  it('is published when the system allows it again', async () => {
    problem = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    say(setMetadata('a'));
    await Promise.resolve();
    problem = undefined;
    await later();
    expect(published).toEqual([['metadata']]);
  });

  it('because of a defect is reported once and tried again only with the next fact', async () => {
    problem = new TypeError('state is not iterable');
    say(setMetadata('a'));
    await later();
    expect(attempts).toBe(1);
    say(setMetadata('b'));
    await later();
    expect(attempts).toBe(2);
    expect(complaints).toEqual([expect.stringContaining('state is not iterable')]);
    expect(console.error).toHaveBeenCalledExactlyOnceWith(problem);
    problem = new TypeError('another one');
    say(setMetadata('c'));
    await later();
    expect(complaints).toHaveLength(2);
  });
});
