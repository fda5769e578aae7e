// Says 10,000 times that its tools have changed, and counts how often they are read.
import { notify, speak, text } from './speak.mjs';

let listed = 0;
const tools = [
  {
    name: 'chatter',
    inputSchema: { type: 'object' },
    call: () => {
      for (let count = 0; count < 10_000; count++) notify('notifications/tools/list_changed');
      return text('said');
    },
  },
  { name: 'listed', inputSchema: { type: 'object' }, call: () => text(String(listed)) },
];
speak(() => tools, {
  answers: {
    'tools/list': () => {
      listed += 1;
      return { tools: tools.map(({ call: _call, ...tool }) => tool) };
    },
  },
});
