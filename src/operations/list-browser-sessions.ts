import { z } from 'zod';
import { defineOperation, READ } from './operation.ts';

const time = z.iso.datetime();

export const listBrowserSessions = defineOperation({
  name: 'list_browser_sessions',
  title: 'List browser sessions',
  description: 'List the browsers that are signed in to the page, newest first.',
  input: z.strictObject({}),
  output: z.object({
    sessions: z.array(
      z.object({
        id: z.string().describe('For end_browser_session'),
        created_at: time,
        last_seen_at: time.describe('To within ten minutes'),
        expires_at: time,
        browser: z.string().describe('Such as: Firefox on Linux'),
        current: z.boolean().describe('True for the browser that asks'),
      }),
    ),
    total_count: z.int(),
  }),
  scopes: ['approve'],
  hints: READ,
  on_request: true,
  route: { method: 'GET', path: '/browser-sessions' },
  handle: async ({ fleet, caller }) => {
    const sessions = await fleet.browserSessions.list(caller);
    return { sessions: [...sessions], total_count: sessions.length };
  },
});
