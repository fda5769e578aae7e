import { z } from 'zod';
import { defineOperation, DESTROY } from './operation.ts';

export const endBrowserSession = defineOperation({
  name: 'end_browser_session',
  title: 'End a browser session',
  description: 'Sign a browser out: its next request is refused, and its event stream ends.',
  input: z.strictObject({
    id: z.string().min(1).max(100).describe('The session, as list_browser_sessions shows it'),
  }),
  output: z.object({ id: z.string() }),
  scopes: ['approve'],
  hints: DESTROY,
  on_request: true,
  route: { method: 'DELETE', path: '/browser-sessions/{id}' },
  handle: async ({ fleet }, { id }) => {
    await fleet.browserSessions.end(id);
    return { id };
  },
});
