import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { FleetError, quote, storageError } from '../../domain/values/errors.ts';
import { reasonOfErrno } from '../../domain/values/storage-problem.ts';
import { takeLease, type Lease } from '../../platform/database/lease.ts';
import { conversationEntry, type ConversationEntry } from './conversation-entry.ts';

const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

export function conversationsDirectory(home: string): string {
  return join(home, 'conversations');
}

export function isConversationId(text: string): boolean {
  return ID.test(text);
}

/** NOT_FOUND for a text that is not an id: it would name another file. */
export function conversationPath(home: string, id: string): string {
  if (!isConversationId(id)) throw noConversation(id);
  return join(conversationsDirectory(home), `${id}.jsonl`);
}

export function lockPath(home: string, id: string): string {
  return join(conversationsDirectory(home), `${id}.lock`);
}

/** A conversation on disk that this process has to itself. Entries are only added, and each is on the disk before the next
 *  step, so that a killed process loses the answer in mid-stream and nothing else. */
export class ConversationFile implements Disposable {
  readonly id: string;
  readonly entries: readonly ConversationEntry[];
  readonly #path: string;
  readonly #file: number;
  readonly #lease: Lease;
  #size: number;

  private constructor(opened: {
    readonly id: string;
    readonly path: string;
    readonly file: number;
    readonly lease: Lease;
    readonly read: ReadConversation;
  }) {
    this.id = opened.id;
    this.entries = opened.read.entries;
    this.#size = opened.read.bytes;
    this.#path = opened.path;
    this.#file = opened.file;
    this.#lease = opened.lease;
  }

  static create(home: string): ConversationFile {
    const directory = conversationsDirectory(home);
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
    } catch (thrown) {
      throw unusable(directory, thrown);
    }
    const id = randomUUID();
    try {
      const conversation = new ConversationFile(open(home, id, 'ax'));
      conversation.#begin();
      return conversation;
    } catch (thrown) {
      // An empty conversation would be the last one, which --continue resumes.
      rmSync(conversationPath(home, id), { force: true });
      rmSync(lockPath(home, id), { force: true });
      throw thrown;
    }
  }

  /** NOT_FOUND when there is none, CONFLICT while another process has it open. */
  static open(home: string, id: string): ConversationFile {
    const opened = open(home, id, 'r+');
    // Half a line of a process that was killed must not stand before the next entry.
    ftruncateSync(opened.file, opened.read.bytes);
    return new ConversationFile(opened);
  }

  append(entry: ConversationEntry): void {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    try {
      writeFileSync(this.#file, line);
      fsyncSync(this.#file);
      this.#size += line.length;
    } catch (thrown) {
      this.#dropPart();
      throw unusable(this.#path, thrown);
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
    this.#lease.release();
  }

  #begin(): void {
    try {
      this.append({ type: 'start', version: 1, id: this.id, at: new Date().toISOString() });
    } catch (thrown) {
      this[Symbol.dispose]();
      throw thrown;
    }
  }

  /** A line that did not fit on the disk is taken back. */
  #dropPart(): void {
    try {
      ftruncateSync(this.#file, this.#size);
    } catch {
      // The next process that opens it does the same.
    }
  }
}

export interface ReadConversation {
  readonly entries: readonly ConversationEntry[];
  /** Up to the end of the last whole line. */
  readonly bytes: number;
}

/** The entries of a file. Lines that cannot be read are left out. */
export function readConversation(path: string): ReadConversation {
  const content = readFileSync(path);
  const bytes = content.lastIndexOf(0x0a) + 1;
  const entries = content
    .subarray(0, bytes)
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const entry = parseEntry(line);
      return entry === undefined ? [] : [entry];
    });
  return { entries, bytes };
}

function parseEntry(line: string): ConversationEntry | undefined {
  if (line === '') return undefined;
  try {
    const parsed = conversationEntry.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

function open(home: string, id: string, flags: 'ax' | 'r+') {
  const path = conversationPath(home, id);
  const read = flags === 'ax' ? { entries: [], bytes: 0 } : readKnown(path, id);
  const lease = takeLease(lockPath(home, id));
  if (lease === undefined) throw inUse(id);
  try {
    // Append mode: every write goes to the end.
    const file = openSync(path, flags === 'ax' ? 'ax' : 'a', 0o600);
    // Another process may have added entries before it gave up the lock.
    return { id, path, file, lease, read: flags === 'ax' ? read : readKnown(path, id) };
  } catch (thrown) {
    lease.release();
    throw unusable(path, thrown);
  }
}

function readKnown(path: string, id: string): ReadConversation {
  try {
    return readConversation(path);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') throw noConversation(id);
    throw unusable(path, thrown);
  }
}

/** Why a file or directory of conversations cannot be used. */
function unusable(path: string, thrown: unknown): FleetError {
  if (thrown instanceof FleetError) return thrown;
  const reason = reasonOfErrno(thrown);
  if (reason !== undefined) return storageError(reason, path, thrown);
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  const message = `${quote(path)} cannot be used for conversations: ${why}. Move it away, then try again.`;
  return new FleetError('SERVICE_UNAVAILABLE', message, { reason: 'home_unusable', file: path }, thrown);
}

export function noConversation(id: string): FleetError {
  return new FleetError(
    'NOT_FOUND',
    `There is no conversation ${quote(id)}. fleet chat list shows those there are.`,
    {
      field: 'conversation_id',
    },
  );
}

export function inUse(id: string): FleetError {
  return new FleetError(
    'CONFLICT',
    `The conversation ${quote(id)} is open in another session. End that session first.`,
    { reason: 'conversation_in_use', field: 'conversation_id' },
  );
}
