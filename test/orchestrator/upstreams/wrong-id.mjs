// Answers with ids that nobody asked with, then with the right one.
import { send, speak, text } from './speak.mjs';

speak(() => [
  {
    name: 'work',
    inputSchema: { type: 'object' },
    call: () => {
      send({ id: 987_654, result: text('not yours') });
      send({ id: 'abc', result: text('not yours') });
      send({ id: null, result: text('not yours') });
      return text('worked');
    },
  },
]);
