import { isObject, isRpcId, type RpcId } from './json-rpc.ts';
import { jsonIn } from '../domain/values/text.ts';

/** A message longer than this is not read: it would take its memory several times over. */
export const MESSAGE_LIMIT = 16 * 1024 * 1024;

export interface LineHandlers {
  /** Without its end. */
  onLine(line: Buffer): void;
  /** A line was longer than the limit, and is gone; what stood at the top of its JSON is left. */
  onTooLong(outline: MessageOutline): void;
}

export interface MessageOutline {
  readonly id: RpcId | undefined;
  /** True for a request or a notification; an answer has no method. */
  readonly hasMethod: boolean;
}

/** Splits a stream into lines, and keeps at most the limit of each. */
export class LimitedLines {
  readonly #handlers: LineHandlers;
  readonly #limit: number;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #outline: OutlineReader | undefined;

  constructor(handlers: LineHandlers, limit = MESSAGE_LIMIT) {
    this.#handlers = handlers;
    this.#limit = limit;
  }

  read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#hold(chunk.subarray(start, end));
      this.#end();
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  #hold(piece: Buffer): void {
    if (this.#outline !== undefined) return this.#outline.read(piece);
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes <= this.#limit) return;
    this.#outline = new OutlineReader();
    for (const held of this.#held) this.#outline.read(held);
    this.#forget();
  }

  #end(): void {
    const outline = this.#outline;
    const [only, ...more] = this.#held;
    const line = only !== undefined && more.length === 0 ? only : Buffer.concat(this.#held);
    this.#outline = undefined;
    this.#forget();
    if (outline === undefined) this.#handlers.onLine(line);
    else this.#handlers.onTooLong(outline.outline);
  }

  #forget(): void {
    this.#held = [];
    this.#heldBytes = 0;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const NULL = Buffer.from('null');
const OUTLINE_LIMIT = 4_096;

/** Reads a JSON object of any size and keeps its top level, with null for every object and list in it. */
class OutlineReader {
  readonly #kept: number[] = [];
  #depth = 0;
  #inText = false;
  #escaped = false;

  read(piece: Buffer): void {
    for (const byte of piece) this.#take(byte);
  }

  get outline(): MessageOutline {
    const top = jsonIn(Buffer.from(this.#kept).toString('utf8'));
    const { id, method } = isObject(top) ? top : {};
    return { id: isRpcId(id) ? id : undefined, hasMethod: method !== undefined };
  }

  #take(byte: number): void {
    if (this.#inText) {
      if (this.#depth === 1) this.#keep(byte);
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) this.#inText = false;
      return;
    }
    if (byte === QUOTE) this.#inText = true;
    if (OPENING.has(byte)) {
      this.#depth += 1;
      if (this.#depth === 2) for (const each of NULL) this.#keep(each);
    }
    if (this.#depth === 1) this.#keep(byte);
    if (CLOSING.has(byte)) this.#depth -= 1;
  }

  #keep(byte: number): void {
    if (this.#kept.length < OUTLINE_LIMIT) this.#kept.push(byte);
  }
}
