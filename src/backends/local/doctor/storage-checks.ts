import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { isSound } from '../../../platform/database/is-sound.ts';
import { readableRows } from '../../../platform/database/readable-rows.ts';
import { bytesText } from '../../../domain/values/bytes-text.ts';
import type { Check, Finding } from '../../../domain/check.ts';
import { entriesOf } from '../../../platform/files-under.ts';
import { knownAgents, type KnownAgent } from './known-agents.ts';

const LITTLE_SPACE = 500 * 1024 * 1024;
const NO_SPACE = 16 * 1024 * 1024;

/** Whether the disk has space, and whether the files of the fleet's state are intact. */
export function storageChecks(home: string): readonly Check[] {
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
    fix: 'free some space; fleet gc shows old files of deleted agents',
  };
}

function storeFinding(home: string): Finding {
  const file = join(home, 'store.db');
  if (isSound(file, 'store_corrupt') && holds(file, 'agents'))
    return { state: 'ok', message: `${file} is intact` };
  return {
    state: 'fail',
    message: `${file} is damaged`,
    fix: 'fleet list: sets the store aside and rebuilds it from the journals',
  };
}

function journalsFinding(home: string, agents: readonly KnownAgent[]): Finding {
  const damaged = agents.filter(({ workspace_id, seq }) => {
    const file = join(home, 'agents', workspace_id, 'journal.db');
    return seq > 0 && !(existsSync(file) && isSound(file, 'journal_corrupt') && holds(file, 'facts'));
  });
  if (damaged.length === 0) return { state: 'ok', message: `all ${agents.length} are intact` };
  const names = damaged.map(({ name }) => name);
  return {
    state: 'fail',
    message: `damaged or gone: ${damaged
      .map(({ name, workspace_id }) => `${name} (${join(home, 'agents', workspace_id, 'journal.db')})`)
      .join(', ')}`,
    fix: `fleet restart ${names.join(' ')}: saves the readable part and keeps the damaged file`,
  };
}

/** False for a file that was emptied, which is a valid database without tables. */
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
