import { FLEET_APP } from '../model/parameters.ts';
import type { CoderAgentAccess } from './app-status-reporter.ts';

/** Tells Coder why there is no runner, so that the fleet can say so. */
export async function reportFailure({ url, token }: CoderAgentAccess, why: string): Promise<void> {
  try {
    await fetch(new URL('/api/v2/workspaceagents/me/app-status', url), {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'coder-session-token': token },
      body: JSON.stringify({
        app_slug: FLEET_APP,
        state: 'failure',
        message: Buffer.from(why)
          .subarray(0, 150)
          .toString('utf8')
          .replace(/\uFFFD+$/, ''),
        uri: 'fleet://status/0?failed&attention',
        icon: '',
        needs_user_attention: false,
      }),
      signal: AbortSignal.timeout(10_000),
    });
  } catch {
    // Its own log says it too.
  }
}
