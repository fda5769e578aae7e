import { FleetError } from '../../../domain/values/errors.ts';
import { retryAfter } from '../client/refusal.ts';
import type { Incoming } from '../client/send.ts';

/** Nobody answered for the runner: the workspace is stopped or starting, or nothing listens there. */
export class RunnerAway extends Error {
  override readonly name = 'RunnerAway';
}

/** Nobody's answer: half a document, or a page of something in between. */
export class Garbled extends Error {}

/** What an app of a workspace answered through Coder's proxy; what Coder answered in its place is thrown. */
export function proxiedJson(
  { status, headers, text }: Incoming,
  server: { readonly url: string; readonly token_env: string },
): unknown {
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
    const retry_after_seconds = retryAfter(headers['retry-after']);
    throw new FleetError(
      'RATE_LIMITED',
      `Coder is rate limiting requests to this workspace; retry in ${retry_after_seconds} s.`,
      { reason: 'coder_rate_limit', retry_after_seconds },
    );
  }
  return json;
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
