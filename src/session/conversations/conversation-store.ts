import { readdirSync, rmSync, statSync } from 'node:fs';
import { FleetError, quote } from '../../domain/values/errors.ts';
import { cut } from '../../domain/values/text.ts';
import { takeLease } from '../../platform/database/lease.ts';
import type { KeptMessage } from './conversation-entry.ts';
import { Conversation, type ConversationUsage } from './conversation.ts';
import {
  conversationPath,
  conversationsDirectory,
  inUse,
  isConversationId,
  lockPath,
  noConversation,
  readConversation,
} from './conversation-file.ts';

const TITLE = 80;
const ENDING = '.jsonl';

export interface ConversationSummary {
  readonly id: string;
  readonly title: string;
  readonly created_at: string | null;
  readonly updated_at: string;
  readonly messages: number;
}

export interface ShownConversation extends ConversationSummary {
  readonly history: readonly KeptMessage[];
  readonly usage: ConversationUsage;
}

/** The conversations of a home. Reading needs no lock: entries are only added. */
export class ConversationStore {
  readonly home: string;

  constructor(home: string) {
    this.home = home;
  }

  /** The one that was used last comes first. */
  list(): readonly ConversationSummary[] {
    return this.#ids()
      .flatMap((id) => {
        const found = this.#read(id);
        return found === undefined ? [] : [found.summary];
      })
      .toSorted((a, b) => b.updated_at.localeCompare(a.updated_at));
  }

  show(id: string): ShownConversation {
    const found = this.#read(id);
    if (found === undefined) throw noConversation(id);
    const { messages: history, usage } = found.conversation;
    return { ...found.summary, history, usage };
  }

  /** CONFLICT while a session has it open. */
  delete(id: string): void {
    const path = conversationPath(this.home, id);
    if (statSync(path, { throwIfNoEntry: false }) === undefined) throw noConversation(id);
    const lease = takeLease(lockPath(this.home, id));
    if (lease === undefined) throw inUse(id);
    try {
      rmSync(path, { force: true });
      rmSync(lockPath(this.home, id), { force: true });
    } finally {
      lease.release();
    }
  }

  /** The whole id, from its beginning. */
  resolve(beginning: string): string {
    const found = this.#ids().filter((id) => id.startsWith(beginning.toLowerCase()));
    const [only] = found;
    if (only !== undefined && found.length === 1) return only;
    if (only === undefined || beginning === '') throw noConversation(beginning);
    throw new FleetError(
      'CONFLICT',
      `${found.length} conversations begin with ${quote(beginning)}. Give more of the id.`,
      { field: 'conversation_id' },
    );
  }

  #ids(): readonly string[] {
    try {
      return readdirSync(conversationsDirectory(this.home))
        .filter((name) => name.endsWith(ENDING))
        .map((name) => name.slice(0, -ENDING.length))
        .filter(isConversationId);
    } catch (thrown) {
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return [];
      throw thrown;
    }
  }

  #read(
    id: string,
  ): { readonly summary: ConversationSummary; readonly conversation: Conversation } | undefined {
    const path = conversationPath(this.home, id);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    const { entries } = readConversation(path);
    const conversation = new Conversation(entries);
    return {
      conversation,
      summary: {
        id,
        title: cut(conversation.title, TITLE),
        created_at: entries[0]?.at ?? null,
        updated_at: entries.at(-1)?.at ?? stat.mtime.toISOString(),
        messages: conversation.messages.length,
      },
    };
  }
}
