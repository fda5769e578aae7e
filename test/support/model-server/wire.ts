import type { Fault, Step, Turn } from './model-script.ts';

/** An answer that is not the model's. */
export interface Failure {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface Reply {
  readonly step: Step;
  readonly index: number;
  readonly model: string;
}

/** One way in which agents speak to a model. */
export interface Wire {
  readonly name: string;
  /** Whether a path of the server is of this wire. */
  readonly path: RegExp;
  /** Of a stream; server-sent events unless given. */
  readonly contentType?: string;
  turns(body: unknown): readonly Turn[];
  /** Questions beside the conversation, such as for a title, offer no tools. */
  hasTools(body: unknown): boolean;
  isStreamed(body: unknown, path: string): boolean;
  modelOf(body: unknown, path: string): string;
  /** The pieces of a stream, ready to send. */
  frames(reply: Reply): readonly string[];
  /** The answer in one piece. */
  whole(reply: Reply): unknown;
  failure(fault: Fault, step: Step): Failure;
}
