import { invalidResponse, shown } from './model-errors.ts';

/** Longer than any line of an honest server. */
const LONGEST_LINE = 16 * 1024 * 1024;

/** The lines of a body as they come; the last one also without a line break. */
export async function* linesOf(body: AsyncIterable<Uint8Array>, url: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
    if (rest.length > LONGEST_LINE) throw invalidResponse(url, `a line is longer than ${LONGEST_LINE} bytes`);
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

/** The JSON documents of a body with one on each line. */
export async function* jsonLines(body: AsyncIterable<Uint8Array>, url: string): AsyncGenerator {
  for await (const line of linesOf(body, url)) {
    if (line.trim() !== '') yield parseJson(line, url);
  }
}

/** The data of server-sent events; comments and other fields are left out. */
export async function* eventData(body: AsyncIterable<Uint8Array>, url: string): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of linesOf(body, url)) {
    if (line === '') {
      if (data.length > 0) yield data.join('\n');
      data = [];
    } else if (line.startsWith('data:')) {
      data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    }
  }
  // Some servers leave out the last empty line.
  if (data.length > 0) yield data.join('\n');
}

export function parseJson(text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalidResponse(url, `${shown(text)} is not valid JSON`, cause);
  }
}
