/** What a model said, whatever the wire. */
export interface Said {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly usage: readonly [input: number, output: number];
  readonly stop: 'call' | 'end';
}

export type Turn =
  | { readonly user: string }
  | { readonly said: Said }
  | { readonly result: string; readonly of: string };

/** How an agent speaks to a model by one wire. */
export interface Client {
  readonly name: string;
  readonly path: string;
  /** Where the answer in one piece is asked for, if elsewhere. */
  readonly whole: string;
  body(turns: readonly Turn[], stream: boolean): Record<string, unknown>;
  /** From the data of the events of a stream. */
  read(events: readonly unknown[]): Said;
  readWhole(answer: unknown): Said;
}

export const TOOLS = [{ name: 'Write' }];
