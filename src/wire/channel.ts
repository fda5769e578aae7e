import type { RpcId, RpcMessage } from './json-rpc.ts';

export interface SendOptions {
  /** Aborting it ends the stream of this one request, where requests have streams of their own. */
  readonly signal?: AbortSignal;
  /** Nothing more comes on the stream of this request. */
  readonly onStreamEnd?: () => void;
}

/** A wire that carries messages in both directions, in order. */
export interface Channel {
  /** True when a request is canceled by ending its stream and not by a message. */
  readonly cancelsByStream: boolean;
  /** Set by the reader; called once for each message, in order. */
  deliver: (message: RpcMessage) => void;
  /** Called instead of `deliver` for an answer that came and cannot be read. */
  unreadable: (id: RpcId, why: Error) => void;
  /** Called once, when nothing more comes; with the reason when it was not us who closed it. */
  ended: (reason: string | undefined) => void;
  send(message: RpcMessage, options?: SendOptions): Promise<void>;
  /** Answers when all that the channel started is gone. */
  close(): Promise<void>;
  /** For wires that say the version beside the message. */
  setProtocolVersion?(version: string): void;
}
