// Works until it is told to hang; then it answers nothing any more.
import { speak, text } from './speak.mjs';

let hung = false;
speak(
  () => [
    {
      name: 'hang',
      inputSchema: { type: 'object' },
      call: () => {
        hung = true;
        return text('hung');
      },
    },
    { name: 'who', inputSchema: { type: 'object' }, call: () => text(String(process.pid)) },
  ],
  { answers: { ping: () => (hung ? new Promise(() => {}) : {}) } },
);
