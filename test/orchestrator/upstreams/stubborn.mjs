// Has a pattern that holds up an engine that backtracks, and answers with errors of the protocol.
import { speak, text } from './speak.mjs';

speak(() => [
  {
    name: 'match',
    inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
    call: () => text('judged by the server'),
  },
  {
    name: 'refuse',
    inputSchema: { type: 'object' },
    call: () => {
      throw Object.assign(new Error('not today'), { code: -32_050, data: { until: 'tomorrow' } });
    },
  },
]);
