import { FleetError } from '../domain/values/errors.ts';
import { withoutFullStop } from '../domain/values/text.ts';
import type { ConversationEntry } from './conversations/conversation-entry.ts';
import { ConversationFile } from './conversations/conversation-file.ts';
import { Conversation } from './conversations/conversation.ts';

export interface SessionLogParts {
  readonly home: string;
  /** The conversation to resume; undefined: a new one, created with its first message. */
  readonly id: string | undefined;
  /** False: nothing is kept. */
  readonly keeps: boolean;
  readonly notice: (text: string) => void;
}

/** The conversation of a session: in memory, and on disk as long as that works. */
export class SessionLog implements Disposable {
  readonly conversation: Conversation;
  readonly #parts: SessionLogParts;
  #file: ConversationFile | undefined;
  #broken = false;

  constructor(parts: SessionLogParts) {
    this.#parts = parts;
    this.#file = parts.id === undefined ? undefined : ConversationFile.open(parts.home, parts.id);
    this.conversation = new Conversation(this.#file?.entries);
  }

  /** Null until there is something to keep. */
  get id(): string | null {
    return this.#file?.id ?? null;
  }

  /** A full disk does not end the session. There is one notice. */
  add(entry: ConversationEntry): void {
    this.conversation.add(entry);
    if (this.#broken || !this.#parts.keeps) return;
    try {
      this.#file ??= ConversationFile.create(this.#parts.home);
      this.#file.append(entry);
    } catch (thrown) {
      if (!(thrown instanceof FleetError)) throw thrown;
      this.#broken = true;
      this.#parts.notice(
        `The conversation is no longer saved: ${withoutFullStop(thrown.message)}. The session continues.`,
      );
    }
  }

  [Symbol.dispose](): void {
    this.#file?.[Symbol.dispose]();
    this.#file = undefined;
  }
}
