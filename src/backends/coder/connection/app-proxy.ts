import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { errorOfBody, FleetError } from '../../../domain/values/errors.ts';
import { API_VERSIONS } from '../../../runner/api/api-versions.ts';
import { send, SendFailure, type Incoming } from '../client/send.ts';
import type { CoderContext } from '../model/coder-context.ts';
import { newsSchema, type News } from '../model/news-schema.ts';
import { FLEET_APP } from '../model/parameters.ts';
import { Garbled, proxiedJson } from './proxied-json.ts';

export interface ProxyTarget {
  readonly workspace_id: string;
  readonly owner_id: string;
}

/** Where an app of a workspace is reached, and with what: the token goes in the form that Coder keeps from the workspace. */
export function appOf(
  { client: { server } }: CoderContext,
  { workspace_id, owner_id }: ProxyTarget,
  app: string,
): { readonly base: URL; readonly cookie: string } {
  return {
    base: new URL(`/@${owner_id}/${workspace_id}/apps/${app}/`, server.url),
    cookie: `coder_path_app_session_token=${server.token}`,
  };
}

const answerSchema = z.object({ result: z.record(z.string(), z.unknown()), news: newsSchema });

/** The first tunnel to an agent may take 5 s, and a cancel 2 s on top. */
const ANSWER_LIMIT_MS = 15_000;
const TRIES = 4;
const WAIT_MS = 150;

export interface RunnerQuestion {
  readonly name: string;
  readonly fields: object;
  /** How long an answer may take: the request is sent again meanwhile. */
  readonly limit_ms?: number;
}

/** One request to the runner of a workspace through Coder's app proxy. It has an id and may be sent again: the runner
 *  does it once. */
export async function askRunner(
  context: CoderContext,
  target: ProxyTarget,
  { name, fields, limit_ms = TRIES * ANSWER_LIMIT_MS }: RunnerQuestion,
): Promise<{ result: Record<string, unknown>; news: News }> {
  const { server } = context.client;
  const path = `/${API_VERSIONS[0]}/${name}`;
  const body = JSON.stringify(fields);
  const id = randomUUID();
  const { base, cookie } = appOf(context, target, FLEET_APP);
  const url = new URL(`.${path}`, base);
  const until = performance.now() + limit_ms;
  for (let attempt = 1; ; attempt++) {
    const at = new Date(context.clock.now().at).toISOString();
    try {
      const incoming = await send(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          cookie,
          ...context.key().headers({ workspace_id: target.workspace_id, id, at, path, body }),
        },
        body,
        timeout_ms: ANSWER_LIMIT_MS,
      });
      return answerOf(incoming, server);
    } catch (thrown) {
      const cut = thrown instanceof SendFailure || thrown instanceof Garbled;
      if (!cut) throw thrown;
      if (attempt >= TRIES && performance.now() >= until - ANSWER_LIMIT_MS) throw silent(thrown.message);
      await context.client.pace.wait(WAIT_MS * Math.min(attempt, TRIES));
    }
  }
}

function answerOf(incoming: Incoming, server: { url: string; token_env: string }) {
  const { status } = incoming;
  const json = proxiedJson(incoming, server);
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

function notOurs(): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    'The server in the workspace is not a runner that this version of Fleet knows. restart_agent starts the runner again.',
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
