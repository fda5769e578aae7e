import { z } from 'zod';
import { CONVERSATION_DIRECTIONS } from '../domain/conversation/conversation-page.ts';
import { conversationEntry } from './conversation-shape.ts';
import { agentName } from './inputs.ts';
import { defineOperation, READ } from './operation.ts';

export const showAgentConversation = defineOperation({
  name: 'show_agent_conversation',
  title: 'Show the conversation',
  description:
    "Show an agent's conversation, oldest entry first: tasks, messages, tool calls with input and output, plans, permissions, output lines, reports and results. Without a cursor, the newest entries. Follow it with the cursor newer and direction newer.",
  input: z.strictObject({
    agent_name: agentName,
    cursor: z.string().min(1).max(40).optional().describe('older or newer of an earlier answer'),
    direction: z.enum(CONVERSATION_DIRECTIONS).default('older').describe('Which entries from the cursor on'),
    limit: z.int().min(1).max(500).default(100).describe('Entries at most, 1 to 500'),
  }),
  output: z.object({
    agent_name: z.string(),
    entries: z.array(conversationEntry),
    older: z.string().nullable().describe('Cursor for the entries before these; null when there are none'),
    newer: z.string().describe('Cursor for the entries after these'),
    has_newer: z.boolean().describe('True when there are more entries after these already'),
  }),
  scopes: ['read', 'self'],
  hints: READ,
  on_request: true,
  route: { method: 'GET', path: '/agents/{agent_name}/conversation' },
  handle: async ({ fleet }, { agent_name, cursor, direction, limit }) => {
    const { name, entries, ...places } = await fleet.conversation(agent_name, { cursor, direction, limit });
    return { agent_name: name, entries: [...entries], ...places };
  },
});
