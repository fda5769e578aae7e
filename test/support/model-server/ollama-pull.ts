import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** A download that was asked for. */
export interface Pull {
  readonly model: string;
  state: 'running' | 'done' | 'failed' | 'stopped';
}

const SIZE = 2 * 1024 * 1024;

/** Streams the lines of a download as Ollama does. The name "endless" never ends, and "unknown" and names with a host cannot be had. */
export async function ollamaPull(content: string, response: ServerResponse, pulls: Pull[]): Promise<void> {
  const { model = '' } = JSON.parse(content) as { model?: string };
  const pull: Pull = { model, state: 'running' };
  pulls.push(pull);
  const say = (line: object): void => void response.write(`${JSON.stringify(line)}\n`);
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  say({ status: 'pulling manifest' });
  if (model === 'unknown' || model.includes('/')) {
    pull.state = 'failed';
    response.end(`${JSON.stringify({ error: 'pull model manifest: file does not exist' })}\n`);
    return;
  }
  const layer = { status: 'pulling 6a0746a1ec1a', digest: 'sha256:6a0746a1ec1a', total: SIZE };
  say(layer);
  say({ ...layer, completed: SIZE / 2 });
  if (model === 'endless') {
    await once(response, 'close');
    pull.state = 'stopped';
    return;
  }
  say({ ...layer, completed: SIZE });
  for (const status of ['verifying sha256 digest', 'writing manifest', 'success']) say({ status });
  pull.state = 'done';
  response.end();
}
