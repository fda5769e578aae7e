import type { Requirement } from '../row.ts';

export const rows: readonly Requirement[] = [
  {
    id: 'SES-chat',
    source: 'contract Session',
    text: 'fleet chat answers a message with a model that has the tools of the orchestrator.',
    waitsFor: 'session',
  },
  {
    id: 'SES-ask',
    source: 'contract Session',
    text: 'fleet ask answers one question and ends.',
    waitsFor: 'session',
  },
  {
    id: 'SES-flow',
    source: 'contract Session; seed 004 Request flow',
    text: 'A tool call of the model is executed by the orchestrator, and its result goes back to the model before the answer.',
    waitsFor: 'session',
  },
  {
    id: 'SES-streamed',
    source: 'contract Session',
    text: 'The answer is streamed as it comes.',
    waitsFor: 'session',
  },
  {
    id: 'SES-model',
    source: 'contract Session',
    text: 'The model is one of Ollama unless the configuration names another.',
    waitsFor: 'session',
  },
  {
    id: 'SES-rounds',
    source: 'contract Session',
    text: 'After 10 rounds of tools for one message the session stops and says so.',
    waitsFor: 'session',
  },
  {
    id: 'SES-states',
    source: 'contract Session',
    text: 'A session is always initializing, ready, processing, terminating, closed or failed.',
    waitsFor: 'session',
  },
  {
    id: 'SES-checks-first',
    source: 'contract Session',
    text: 'A model server, model or system prompt that is not there is OLLAMA_UNAVAILABLE, MODEL_NOT_FOUND or SYSTEM_PROMPT_MISSING before anything is sent.',
    waitsFor: 'session',
  },
  {
    id: 'SES-summarised',
    source: 'contract Session',
    text: 'A conversation that outgrows the context is summarised and goes on.',
    waitsFor: 'session',
  },
  {
    id: 'SES-overflow',
    source: 'contract Session',
    text: 'One message that is too large for the context is CONTEXT_OVERFLOW.',
    waitsFor: 'session',
  },
  {
    id: 'SES-resume',
    source: 'contract Session',
    text: 'Conversations are kept and can be resumed.',
    waitsFor: 'session',
  },
];
