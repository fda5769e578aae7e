// Ignores cancellation, and answers what nobody waits for any more.
import { setTimeout as delay } from 'node:timers/promises';
import { send, speak, text } from './speak.mjs';

speak(() => [
  {
    name: 'work',
    inputSchema: { type: 'object' },
    call: async (_args, { params }) => {
      await delay(1_200);
      send({ id: params._meta?.progressToken, result: text('late') });
      return text('late');
    },
  },
  { name: 'live', inputSchema: { type: 'object' }, call: () => text('alive') },
]);
