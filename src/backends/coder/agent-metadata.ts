import { z } from 'zod';
import { METADATA_PREFIX } from '../../domain/metadata/metadata.ts';
import type { CoderClient } from './client/coder-client.ts';
import { readEvents } from './client/read-events.ts';
import { jsonIn } from '../../domain/values/text.ts';

const itemsSchema = z.array(
  z.object({
    result: z.object({ value: z.string().default(''), error: z.string().default('') }),
    description: z.object({ key: z.string() }),
  }),
);

const LIMIT_MS = 1_500;

/** What the agent of a workspace publishes under the prefix of the fleet by scripts of its template. There is no request
 *  for it but the beginning of a stream. Null when its template has no such script, undefined when it cannot be told. */
export async function agentMetadata(
  client: CoderClient,
  agentId: string,
): Promise<Record<string, string> | null | undefined> {
  const { url, token } = client.server;
  const heard = new AbortController();
  let items: z.output<typeof itemsSchema> | undefined;
  await readEvents(new URL(`/api/v2/workspaceagents/${agentId}/watch-metadata`, url), {
    headers: { 'coder-session-token': token },
    signal: AbortSignal.any([heard.signal, AbortSignal.timeout(LIMIT_MS)]),
    onData: (text) => {
      items ??= itemsSchema.safeParse(jsonIn(text)).data;
      heard.abort();
    },
  });
  if (items === undefined) return undefined;
  const ours = items.filter(({ description }) => description.key.startsWith(METADATA_PREFIX));
  if (ours.length === 0) return null;
  return Object.fromEntries(
    ours
      .filter(({ result }) => result.error === '')
      .map(({ description, result }) => [description.key, result.value.trim()]),
  );
}
