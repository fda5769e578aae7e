import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogDetail } from '../../domain/conversation/log-detail.ts';
import { systemClock } from '../../platform/clock.ts';
import { JournalReader } from './journal-reader.ts';
import { Journal } from './journal.ts';
import { LogWriter } from './log-writer.ts';
import { readConversation } from './read-conversation.ts';

const LIMIT = 5;
const LINES = 4 * LIMIT;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-conversation-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('a conversation that is read', () => {
  it.for([['older'], ['newer']] as const)(
    'goes on over entries that are not shown, however many: %s',
    ([direction]) => {
      const file = join(directory, 'journal.db');
      using journal = new Journal(file, systemClock);
      const log = new LogWriter(journal, systemClock, () => {});
      const say = (message: string, detail: LogDetail): void =>
        log.write('INFO', 'output', message, JSON.stringify(detail));
      say('first', { of: 'message' });
      for (let line = 0; line < LINES; line++) say(`line ${line}`, { of: 'call_output' });
      say('last', { of: 'message' });
      log.settle();
      using reader = JournalReader.open(file);
      const page = readConversation(reader, { cursor: undefined, direction, limit: LIMIT });
      expect(page.entries).toMatchObject([{ text: 'first' }, { text: 'last' }]);
      expect(page).toMatchObject({ older: null, has_newer: false });
    },
  );
});
