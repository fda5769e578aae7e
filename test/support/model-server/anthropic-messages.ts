import { z } from 'zod';
import {
  callId,
  callsOf,
  pieces,
  spokenText,
  stepOfCall,
  type Fault,
  type Step,
  type Turn,
} from './model-script.ts';
import type { Failure, Reply, Wire } from './wire.ts';

const block = z.looseObject({ type: z.string(), text: z.string().optional(), id: z.string().optional() });
const request = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  tools: z.array(z.unknown()).default([]),
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(block)]) })),
});

/** `POST /v1/messages`, as Claude Code asks it. */
export const anthropicMessages: Wire = {
  name: 'anthropic-messages',
  path: /\/v1\/messages$/,
  turns: (body) => request.parse(body).messages.flatMap(turnOf),
  hasTools: (body) => request.parse(body).tools.length > 0,
  isStreamed: (body) => request.parse(body).stream,
  modelOf: (body) => request.parse(body).model,
  frames: (reply) => eventsOf(reply).map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`),
  whole: (reply) => ({
    ...messageOf(reply),
    content: blocksOf(reply).map(({ start, full }) => ({ ...start, ...full })),
    stop_reason: stopReason(reply.step),
    usage: usageOf(reply.step),
  }),
  failure,
};

function turnOf({ role, content }: z.output<typeof request>['messages'][number]): readonly Turn[] {
  if (role !== 'user' && role !== 'assistant') return [];
  if (typeof content === 'string') return [{ role, texts: [content] }];
  const texts = content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []));
  const calls = content.flatMap(({ type, id }) => (type === 'tool_use' && id !== undefined ? [id] : []));
  return [{ role, texts, step: calls.map(stepOfCall).find((step) => step !== undefined) }];
}

interface Block {
  readonly start: Record<string, unknown>;
  readonly deltas: readonly Record<string, unknown>[];
  readonly full: Record<string, unknown>;
}

function blocksOf({ step, index }: Reply): readonly Block[] {
  const text = spokenText(step);
  return [
    ...(step.thinking === undefined ? [] : [thinkingBlock(step.thinking)]),
    ...(text === '' ? [] : [textBlock(text)]),
    ...callsOf(step).map(({ tool, input }, at): Block => ({
      start: { type: 'tool_use', id: callId('toolu_', index, at), name: tool, input: {} },
      deltas: pieces(JSON.stringify(input)).map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      })),
      full: { input },
    })),
  ];
}

function thinkingBlock(thinking: string): Block {
  const signature = 'scripted';
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...pieces(thinking).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
      { type: 'signature_delta', signature },
    ],
    full: { thinking, signature },
  };
}

function textBlock(text: string): Block {
  return {
    start: { type: 'text', text: '' },
    deltas: pieces(text).map((piece) => ({ type: 'text_delta', text: piece })),
    full: { text },
  };
}

function eventsOf(reply: Reply): readonly ({ readonly type: string } & Record<string, unknown>)[] {
  const usage = usageOf(reply.step);
  return [
    { type: 'message_start', message: { ...messageOf(reply), usage: { ...usage, output_tokens: 1 } } },
    ...blocksOf(reply).flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason(reply.step), stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    },
    { type: 'message_stop' },
  ];
}

function messageOf({ model, index }: Reply): Record<string, unknown> {
  return {
    id: callId('msg_', index, 0),
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
  };
}

function stopReason(step: Step): string {
  return callsOf(step).length > 0 ? 'tool_use' : 'end_turn';
}

function usageOf({ usage: { input, output, cached } }: Step) {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
  };
}

function failure(fault: Fault, { retry_after, resets_at }: Step): Failure {
  switch (fault) {
    case 'server':
      return errorOf(500, 'api_error', 'Internal server error');
    case 'overloaded':
      return errorOf(529, 'overloaded_error', 'Overloaded');
    case 'rate_limit':
      return {
        ...errorOf(429, 'rate_limit_error', 'Number of requests has exceeded your per-minute rate limit'),
        headers: { 'retry-after': String(retry_after) },
      };
    case 'usage_limit':
      return {
        ...errorOf(
          429,
          'rate_limit_error',
          "This request would exceed your account's rate limit. Please try again later.",
        ),
        headers: usageLimitHeaders(resets_at),
      };
    case 'credit':
      return errorOf(
        400,
        'invalid_request_error',
        'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
      );
    case 'auth':
      return errorOf(401, 'authentication_error', 'invalid x-api-key');
  }
}

/** By these Claude Code knows that a subscription is used up, and until when. */
function usageLimitHeaders(resets_at: number | undefined): Record<string, string> {
  const reset = String(resets_at ?? Math.floor(Date.now() / 1000) + 3600);
  return {
    'x-should-retry': 'false',
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': reset,
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'anthropic-ratelimit-unified-5h-status': 'rejected',
    'anthropic-ratelimit-unified-5h-reset': reset,
    'anthropic-ratelimit-unified-5h-utilization': '1',
    'anthropic-ratelimit-unified-overage-status': 'rejected',
    'anthropic-ratelimit-unified-overage-disabled-reason': 'org_level_disabled',
  };
}

function errorOf(status: number, type: string, message: string): Failure {
  return { status, body: { type: 'error', error: { type, message } } };
}
