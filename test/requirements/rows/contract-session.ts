import type { Requirement } from '../row.ts';

export const rows: readonly Requirement[] = [
  {
    id: 'SES-chat',
    source: 'contract Session',
    text: 'fleet chat answers a message with a model that has the tools of the orchestrator.',
  },
  {
    id: 'SES-ask',
    source: 'contract Session',
    text: 'fleet ask answers one question and ends.',
  },
  {
    id: 'SES-flow',
    source: 'contract Session; seed 004 Request flow',
    text: 'A tool call of the model is executed by the orchestrator, and its result goes back to the model before the answer.',
  },
  {
    id: 'SES-streamed',
    source: 'contract Session',
    text: 'The answer is streamed as it comes.',
  },
  {
    id: 'SES-model',
    source: 'contract Session',
    text: 'The model is one of Ollama unless the configuration names another.',
  },
  {
    id: 'SES-rounds',
    source: 'contract Session',
    text: 'After 10 rounds of tools for one message the session stops and says so.',
  },
  {
    id: 'SES-states',
    source: 'contract Session',
    text: 'A session is always initializing, ready, processing, terminating, closed or failed.',
  },
  {
    id: 'SES-checks-first',
    source: 'contract Session',
    text: 'A model server, model or system prompt that is not there is OLLAMA_UNAVAILABLE, MODEL_NOT_FOUND or SYSTEM_PROMPT_MISSING before anything is sent.',
  },
  {
    id: 'SES-summarised',
    source: 'contract Session',
    text: 'A conversation that outgrows the context is summarised and goes on.',
  },
  {
    id: 'SES-overflow',
    source: 'contract Session',
    text: 'One message that is too large for the context is CONTEXT_OVERFLOW.',
  },
  {
    id: 'SES-resume',
    source: 'contract Session',
    text: 'Conversations are kept and can be resumed.',
  },
  {
    id: 'SES-land',
    source: 'contract Session',
    text: 'A session gives issues to agents, waits, reads what they changed, and lands what passes once the person has allowed it.',
  },
  {
    id: 'SES-questions',
    source: 'contract Orchestrator; contract Session',
    text: 'A question that an MCP server asks its user during a call of the session reaches the person at the terminal.',
  },
  {
    id: 'SES-pull',
    source: 'contract Session',
    text: 'At a terminal a model that Ollama does not have is pulled when the person agrees, with progress.',
  },
];
