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

const part = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  functionCall: z.looseObject({ id: z.string().optional() }).optional(),
});
const request = z.looseObject({
  tools: z.array(z.looseObject({ functionDeclarations: z.array(z.unknown()).optional() })).default([]),
  contents: z.array(z.looseObject({ role: z.string().default('user'), parts: z.array(part).default([]) })),
});

/** `POST /v1beta/models/MODEL:generateContent`, and the stream of it. */
export const geminiGenerate: Wire = {
  name: 'gemini-generate',
  path: /\/models\/[^/]+:(?:stream)?[gG]enerateContent$/,
  turns: (body) => request.parse(body).contents.map(turnOf),
  hasTools: (body) =>
    request.parse(body).tools.some(({ functionDeclarations = [] }) => functionDeclarations.length > 0),
  isStreamed: (_body, path) => path.endsWith(':streamGenerateContent'),
  modelOf: (_body, path) => /models\/([^/:]+):/.exec(path)?.[1] ?? '',
  frames: (reply) => {
    const parts = partsOf(reply, true);
    return parts.map(
      (each, at) => `data: ${JSON.stringify(answer(reply, [each], at === parts.length - 1))}\r\n\r\n`,
    );
  },
  whole: (reply) => answer(reply, partsOf(reply, false), true),
  failure,
};

function turnOf({ role, parts }: z.output<typeof request>['contents'][number]): Turn {
  const texts = parts.flatMap(({ text, thought }) => (text === undefined || thought === true ? [] : [text]));
  const steps = parts.map(({ functionCall }) => stepOfCall(functionCall?.id ?? ''));
  return {
    role: role === 'model' ? 'assistant' : 'user',
    texts,
    step: steps.find((step) => step !== undefined),
  };
}

function partsOf({ step, index }: Reply, streamed: boolean): readonly Record<string, unknown>[] {
  const cut = (text: string) => (streamed ? pieces(text) : text === '' ? [] : [text]);
  const parts = [
    ...cut(step.thinking ?? '').map((text) => ({ text, thought: true })),
    ...cut(spokenText(step)).map((text) => ({ text })),
    ...callsOf(step).map(({ tool, input }, at) => ({
      functionCall: { id: callId('call_', index, at), name: tool, args: input },
    })),
  ];
  return parts.length === 0 ? [{ text: '' }] : parts;
}

function answer({ step, model }: Reply, parts: readonly unknown[], last: boolean): Record<string, unknown> {
  const { input, output, cached } = step.usage;
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(last ? { finishReason: 'STOP' } : {}) }],
    usageMetadata: {
      promptTokenCount: input + cached,
      cachedContentTokenCount: cached,
      candidatesTokenCount: output,
      totalTokenCount: input + cached + output,
    },
    modelVersion: model,
  };
}

function failure(fault: Fault, { retry_after }: Step): Failure {
  switch (fault) {
    case 'server':
      return errorOf(500, 'INTERNAL', 'An internal error has occurred.');
    case 'overloaded':
      return errorOf(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.');
    case 'rate_limit':
      return errorOf(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', [
        quotaFailure('GenerateRequestsPerMinutePerProjectPerModel'),
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retry_after}s` },
      ]);
    case 'usage_limit':
    case 'credit':
      return errorOf(
        429,
        'RESOURCE_EXHAUSTED',
        'You exceeded your current quota, please check your plan and billing details.',
        [quotaFailure('GenerateRequestsPerDayPerProjectPerModel')],
      );
    case 'auth':
      return errorOf(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.');
  }
}

function quotaFailure(quotaId: string): Record<string, unknown> {
  return { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] };
}

function errorOf(code: number, status: string, message: string, details: readonly unknown[] = []): Failure {
  return { status: code, body: { error: { code, message, status, details } } };
}
