import { z } from 'zod';
import { AGENT_STATUSES } from '../domain/status.ts';
import { cutValue } from '../domain/conversation/cut-value.ts';
import { describeFact } from '../domain/timeline/describe-fact.ts';
import type { TimelineEntry } from '../domain/timeline/timeline-page.ts';
import { cut } from '../domain/values/text.ts';
import { agentName, moment } from './inputs.ts';
import { defineOperation, READ } from './operation.ts';

const TEXT_LIMIT = 1_000;

const time = z.iso.datetime();

export const showAgentTimeline = defineOperation({
  name: 'show_agent_timeline',
  title: 'Show the timeline',
  description:
    'Show the facts of an agent, oldest first, each with the status that it led to, and the status now or at a time. Without a cursor, the newest facts.',
  input: z.strictObject({
    agent_name: agentName,
    at: moment.optional().describe('The evidence at this moment: only facts up to it; default: now'),
    cursor: z.string().min(1).max(40).optional().describe('older or newer of an earlier answer'),
    direction: z.enum(['older', 'newer']).default('older').describe('Which facts from the cursor on'),
    limit: z.int().min(1).max(500).default(100).describe('Facts at most, 1 to 500'),
  }),
  output: z.object({
    agent_name: z.string(),
    at: time,
    status: z.object({
      status: z.enum(AGENT_STATUSES),
      status_reason: z.string(),
      current_task: z.string().nullable(),
      needs_attention: z.boolean(),
      attention_reason: z.string().nullable(),
      stuck: z.boolean(),
      busy_since: time.nullable(),
    }),
    facts: z.array(
      z.object({
        seq: z.int(),
        at: time,
        by: z.object({ principal: z.string(), door: z.string() }),
        kind: z.string(),
        text: z.string().describe('The fact in words'),
        data: z.unknown().describe('The whole fact, with long texts cut'),
        truncated: z.boolean(),
        status: z.enum(AGENT_STATUSES).describe('The status that it led to'),
        status_reason: z.string(),
        needs_attention: z.boolean(),
      }),
    ),
    older: z.string().nullable().describe('Cursor for the facts before these; null when there are none'),
    newer: z.string().describe('Cursor for the facts after these'),
    has_newer: z.boolean().describe('True when there are more facts after these already'),
  }),
  scopes: ['read'],
  hints: READ,
  on_request: true,
  route: { method: 'GET', path: '/agents/{agent_name}/timeline' },
  handle: async ({ fleet }, { agent_name, at, ...request }) => {
    const { entries, ...answer } = await fleet.timeline(agent_name, {
      at: at === undefined ? undefined : Date.parse(at),
      cursor: request.cursor,
      direction: request.direction,
      limit: request.limit,
    });
    return { ...answer, facts: entries.map(shownFact) };
  },
});

function shownFact({ fact, ...status }: TimelineEntry) {
  const { seq, at, by, body } = fact;
  const { value, truncated } = cutValue(body);
  const text = describeFact(body);
  const shown = cut(text, TEXT_LIMIT);
  return {
    seq,
    at,
    by,
    kind: body.kind,
    text: shown,
    data: value,
    truncated: truncated || shown !== text,
    ...status,
  };
}
