import { z } from 'zod';
import type { ServedFleet } from '../support/fleets/fleet-process.ts';

const frameSchema = z.object({
  id: z.string(),
  event: z.string(),
  data: z.looseObject({
    cursor: z.string(),
    at: z.iso.datetime(),
    kind: z.string(),
    agent_name: z.string().nullable(),
    workspace_id: z.uuid().nullable(),
  }),
});

export type Frame = z.output<typeof frameSchema>;

export interface EventReader extends AsyncDisposable {
  /** All that came so far. */
  readonly frames: readonly Frame[];
  /** Resolves once so much has come. */
  until(holds: (frames: readonly Frame[]) => boolean): Promise<readonly Frame[]>;
}

/** Listens at /events, after a cursor when there is one. Resolves once the server has begun to answer. */
export async function readEvents(
  { url, token }: Pick<ServedFleet, 'url' | 'token'>,
  cursor?: { readonly query?: string; readonly header?: string },
): Promise<EventReader> {
  const stop = new AbortController();
  const response = await fetch(
    `${url}/events${cursor?.query === undefined ? '' : `?cursor=${cursor.query}`}`,
    {
      headers: {
        authorization: `Bearer ${token}`,
        ...(cursor?.header === undefined ? {} : { 'last-event-id': cursor.header }),
      },
      signal: stop.signal,
    },
  );
  if (response.body === null || !response.ok) throw new Error(`no events: ${await response.text()}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const frames: Frame[] = [];
  let rest = '';
  /** Reads what comes next; false at the end. */
  const more = async (): Promise<boolean> => {
    const { done, value } = await reader.read();
    if (done) return false;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    frames.push(...blocks.filter((block) => !block.startsWith(':')).map(parseFrame));
    return true;
  };
  await more();
  return {
    frames,
    until: async (holds) => {
      while (!holds(frames)) {
        if (!(await more())) throw new Error(`the stream ended after ${JSON.stringify(frames)}`);
      }
      return frames;
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await reader.cancel().catch(() => {});
    },
  };
}

/** Every line is one of the three fields, each once. */
function parseFrame(block: string): Frame {
  const lines = block.split('\n').map((line) => /^(id|event|data): (.*)$/.exec(line));
  const fields = Object.fromEntries(lines.map((match) => [match?.[1] ?? 'unknown', match?.[2] ?? '']));
  const { id, event, data, ...others } = fields;
  if (lines.length !== 3 || Object.keys(others).length > 0) throw new Error(`no event: ${block}`);
  return frameSchema.parse({ id, event, data: JSON.parse(data ?? '') });
}
