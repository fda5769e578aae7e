import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { errorOfBody, FleetError } from '../../domain/errors.ts';
import { API_VERSIONS } from '../../runner/api-versions.ts';
import { send, SendFailure, type Incoming } from './client/send.ts';
import type { CoderContext } from './coder-context.ts';
import { newsSchema, type News } from './news-schema.ts';
import { FLEET_APP } from './parameters.ts';

export interface ProxyTarget {
  readonly workspace_id: string;
  readonly owner_id: string;
}

const answerSchema = z.object({ result: z.record(z.string(), z.unknown()), news: newsSchema });

/** The first tunnel to an agent may take 5 s, and a cancel 2 s on top. */
const ANSWER_LIMIT_MS = 15_000;
const TRIES = 4;
const WAIT_MS = 150;

/** Nobody answered for the runner: the workspace is stopped or starting, or nothing listens there. */
export class RunnerAway extends Error {
  override readonly name = 'RunnerAway';
}

/** One request to the runner of a workspace through Coder's app proxy. It has an id and may be sent again: the runner
 *  does it once. The token goes in the form that Coder keeps from the workspace. */
export async function askRunner(
  context: CoderContext,
  target: ProxyTarget,
  { name, fields }: { readonly name: string; readonly fields: object },
): Promise<{ result: Record<string, unknown>; news: News }> {
  const { server } = context.client;
  const path = `/${API_VERSIONS[0]}/${name}`;
  const body = JSON.stringify(fields);
  const id = randomUUID();
  const url = new URL(`/@${target.owner_id}/${target.workspace_id}/apps/${FLEET_APP}${path}`, server.url);
  for (let attempt = 1; ; attempt++) {
    const at = new Date(context.clock.now().at).toISOString();
    try {
      const incoming = await send(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          cookie: `coder_path_app_session_token=${server.token}`,
          ...context.key().headers({ workspace_id: target.workspace_id, id, at, path, body }),
        },
        body,
        timeout_ms: ANSWER_LIMIT_MS,
      });
      return answerOf(incoming, server);
    } catch (thrown) {
      const cut = thrown instanceof SendFailure || thrown instanceof Garbled;
      if (!cut) throw thrown;
      if (attempt === TRIES) throw silent(thrown.message);
      await context.client.pace.wait(WAIT_MS * attempt);
    }
  }
}

class Garbled extends Error {}

function answerOf({ status, headers, text }: Incoming, server: { url: string; token_env: string }) {
  const type = headers['content-type'] ?? '';
  if (status === 303 || status === 307) {
    throw new FleetError(
      'UNAUTHORIZED',
      `The Coder server at ${server.url} does not let the token in ${server.token_env} use its apps. It needs the scope coder:workspaces.access.`,
      { reason: 'coder_token' },
    );
  }
  if (!type.includes('json')) {
    if (status === 400 || status === 404 || status === 502) throw new RunnerAway(titleOf(text, status));
    throw new Garbled(`status ${status}`);
  }
  const json = parse(text);
  if (status === 429) {
    throw new FleetError('RATE_LIMITED', 'Coder asks for a pause in requests to this workspace.', {
      reason: 'coder_rate_limit',
      retry_after_seconds: Number(headers['retry-after'] ?? 60),
    });
  }
  if (status === 200) {
    const answer = answerSchema.safeParse(json);
    if (answer.success) return answer.data;
    throw notOurs();
  }
  const error = errorOfBody(json);
  if (error !== undefined) throw error;
  if (status >= 500) throw new Garbled(`status ${status}`);
  throw notOurs();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Garbled('half an answer');
  }
}

/** Coder's error pages say what is wrong in their title. */
function titleOf(page: string, status: number): string {
  const [, title] = /<title>([^<]*)<\/title>/i.exec(page) ?? [];
  return title?.trim().replace(/\s+/g, ' ') ?? `status ${status}`;
}

function notOurs(): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    'What answers in the workspace is no runner that this version of Fleet knows. restart_agent starts it anew.',
    { reason: 'runner_api' },
  );
}

function silent(why: string): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    `The runner in the workspace cannot be reached (${why}). Try again.`,
    {
      reason: 'runner_unreachable',
    },
  );
}
