// Loaded in front of a process (`node --import`): it can be stopped hard before and after whatever it changes outside
// of itself. The program that it is loaded into knows nothing of it.
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { basename } from 'node:path';
import sqlite, { type DatabaseSync, type StatementSync } from 'node:sqlite';
import { CutMoments } from './cut-moments.ts';
import { giveCutToRunners } from './give-cut.ts';

type Call = (...args: unknown[]) => unknown;
type Named = Record<string, Call>;

const moments = new CutMoments();
const { existsSync } = fs;

giveCutToRunners();
cutProcesses();
cutSockets();
cutFilesOfState();
cutDatabases();
syncBuiltinESMExports();

function cutProcesses(): void {
  for (const name of ['spawn', 'execFile', 'spawnSync'])
    wrap(childProcess as unknown as Named, name, ([file, args]) => `spawn ${commandOf(file, args)}`);
}

/** The words of a command that say what it is: for git those after its own options. */
function commandOf(file: unknown, args: unknown): string {
  const words = Array.isArray(args) ? args.map(String) : [];
  if (file !== 'git')
    return words.some((word) => word.includes('runner-main')) ? 'runner' : basename(String(file));
  const own = words.filter((word, index) => !/^-[cC]$/.test(word) && !/^-[cC]$/.test(words[index - 1] ?? ''));
  return `git ${own
    .filter((word) => !word.startsWith('-'))
    .slice(0, 1)
    .join('')}`;
}

/** What every write of a socket or pipe comes down to; it has reached the other side's buffer when it returns. */
function cutSockets(): void {
  wrap(net.Socket.prototype as unknown as Named, '_writeGeneric', (_, socket) =>
    socket instanceof net.Socket && socket.connecting ? undefined : 'socket write',
  );
}

function cutFilesOfState(): void {
  const files = fs as unknown as Named;
  const named =
    (what: string) =>
    ([path]: unknown[]) =>
      `${what} ${nameOf(path)}`;
  wrap(files, 'renameSync', ([, to]) => `rename to ${nameOf(to)}`);
  wrap(files, 'linkSync', ([, to]) => `link ${nameOf(to)}`);
  wrap(files, 'writeFileSync', named('write'));
  wrap(files, 'cpSync', named('copy'));
  wrap(files, 'rmSync', ([path]) => (existsSync(String(path)) ? `remove ${nameOf(path)}` : undefined));
  wrap(files, 'mkdirSync', ([path]) => (existsSync(String(path)) ? undefined : `make ${nameOf(path)}`));
}

/** Ids differ from run to run. */
function nameOf(path: unknown): string {
  if (typeof path === 'number') return 'a file';
  return basename(String(path)).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|(?<=^git-)\w{6}$/g, 'ID');
}

function cutDatabases(): void {
  const owners = new WeakMap<StatementSync, DatabaseSync>();
  const prepare = sqlite.DatabaseSync.prototype.prepare;
  sqlite.DatabaseSync.prototype.prepare = function (...args) {
    const statement = prepare.apply(this, args);
    owners.set(statement, this);
    return statement;
  };
  wrap(sqlite.DatabaseSync.prototype as unknown as Named, 'exec', ([sql], database) =>
    changes(String(sql)) && isOpen(database) ? `${fileOf(database)} ${firstWord(sql)}` : undefined,
  );
  wrap(sqlite.DatabaseSync.prototype as unknown as Named, 'close', (_, database) =>
    isOpen(database) && database.isTransaction ? `${fileOf(database)} release` : undefined,
  );
  wrap(sqlite.StatementSync.prototype as unknown as Named, 'run', (_, statement) => {
    const owner = owners.get(statement as StatementSync);
    if (owner === undefined || owner.isTransaction) return undefined;
    return `${fileOf(owner)} ${firstWord((statement as StatementSync).sourceSQL)}`;
  });
}

function isOpen(database: unknown): database is DatabaseSync {
  return database instanceof sqlite.DatabaseSync && database.isOpen;
}

function changes(sql: string): boolean {
  return /COMMIT|BEGIN EXCLUSIVE|journal_mode/.test(sql);
}

function firstWord(sql: unknown): string {
  return String(sql).includes('COMMIT') ? 'commit' : (/\w+/.exec(String(sql))?.[0] ?? '').toLowerCase();
}

function fileOf(database: DatabaseSync): string {
  return basename(database.location() ?? '', '.db').replace(/^[0-9a-f]{16}$/, 'git-turn');
}

/** Puts moments around a function, unless what it does now changes nothing. */
function wrap(
  holder: Named,
  name: string,
  describe: (args: unknown[], self: unknown) => string | undefined,
): void {
  const original = holder[name];
  if (original === undefined) throw new Error(`nothing is called ${name}`);
  Object.assign(holder, {
    [name](this: unknown, ...args: unknown[]) {
      const what = describe(args, this);
      return what === undefined
        ? original.apply(this, args)
        : moments.around(what, () => original.apply(this, args));
    },
  });
}
