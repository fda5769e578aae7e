import { expect, it } from 'vitest';
import { withEvent, type ChatPart } from './chat-part.ts';

it('collects an answer with its calls from the events of a stream', () => {
  const events: readonly (readonly [string, Record<string, unknown>])[] = [
    ['state', { state: 'processing' }],
    ['thinking', { text: 'hm' }],
    ['text', { text: 'I will ' }],
    ['text', { text: 'look.' }],
    ['call', { id: '1', tool: 'list_agents', arguments: {} }],
    ['progress', { id: '1', tool: 'list_agents', message: 'working' }],
    ['result', { id: '1', tool: 'list_agents', failed: false, took_ms: 5, text: '{}' }],
    ['text', { text: 'Done.' }],
  ];
  const parts = events.reduce<readonly ChatPart[]>(
    (before, [event, data]) => withEvent(before, event, data),
    [],
  );
  expect(parts).toEqual([
    { kind: 'thinking', text: 'hm' },
    { kind: 'answer', text: 'I will look.' },
    {
      kind: 'call',
      id: '1',
      tool: 'list_agents',
      arguments: {},
      progress: 'working',
      result: { failed: false, took_ms: 5, text: '{}' },
    },
    { kind: 'answer', text: 'Done.' },
  ]);
});
