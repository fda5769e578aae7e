import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { isSound } from '../../platform/is-sound.ts';
import { readableRows } from '../../platform/readable-rows.ts';
import { bytesText } from '../bytes-text.ts';
import type { Check, Finding } from '../doctor-checks.ts';
import { entriesOf } from '../gc/files-under.ts';
import { knownAgents, type KnownAgent } from './known-agents.ts';

const LITTLE_SPACE = 500 * 1024 * 1024;
const NO_SPACE = 16 * 1024 * 1024;

/** What a fleet's state lies on, and whether it is whole. */
export function groundChecks(home: string): readonly Check[] {
  if (!existsSync(join(home, 'store.db'))) return [{ name: 'disk', ...diskFinding(home) }];
  return [
    { name: 'disk', ...diskFinding(home) },
    { name: 'store', ...storeFinding(home) },
    { name: 'journals', ...journalsFinding(home, knownAgents(home)) },
  ];
}

function diskFinding(home: string): Finding {
  const { bavail, bsize } = statfsSync(home);
  const free = bavail * bsize;
  const message = `${bytesText(free)} are free where ${home} is`;
  if (free >= LITTLE_SPACE) return { state: 'ok', message };
  return {
    state: free < NO_SPACE ? 'fail' : 'warn',
    message,
    fix: 'free some space; fleet gc shows what deleted agents left',
  };
}

function storeFinding(home: string): Finding {
  const file = join(home, 'store.db');
  if (isSound(file, 'store_corrupt') && holds(file, 'agents'))
    return { state: 'ok', message: `${file} is whole` };
  return {
    state: 'fail',
    message: `${file} is damaged`,
    fix: 'fleet list: the store is set aside and made anew from the journals',
  };
}

function journalsFinding(home: string, agents: readonly KnownAgent[]): Finding {
  const damaged = agents.filter(({ workspace_id, seq }) => {
    const file = join(home, 'agents', workspace_id, 'journal.db');
    return seq > 0 && !(existsSync(file) && isSound(file, 'journal_corrupt') && holds(file, 'facts'));
  });
  if (damaged.length === 0) return { state: 'ok', message: `all ${agents.length} are whole` };
  const names = damaged.map(({ name }) => name);
  return {
    state: 'fail',
    message: `damaged or gone: ${damaged
      .map(({ name, workspace_id }) => `${name} (${join(home, 'agents', workspace_id, 'journal.db')})`)
      .join(', ')}`,
    fix: `fleet restart ${names.join(' ')}: what can be read is saved, and the damaged one is kept`,
  };
}

/** False for a file that was emptied, which is a whole database of nothing. */
function holds(file: string, table: string): boolean {
  return readableRows(file, `SELECT count(*) FROM ${table}`, (row) => row).length === 1;
}

/** Damaged files that were kept. */
export function damagedFiles(home: string): readonly string[] {
  const agents = join(home, 'agents');
  const directories = [home, ...entriesOf(agents).map((name) => join(agents, name))];
  return directories.flatMap((directory) =>
    entriesOf(directory)
      .filter((name) => name.includes('.db.damaged-') && !name.endsWith('-wal'))
      .map((name) => join(directory, name)),
  );
}
