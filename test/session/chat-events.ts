export interface Told {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The events of a stream as they come. */
export async function* chatEvents(response: Response): AsyncGenerator<Told> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) as Told['data'] };
    }
  }
}
