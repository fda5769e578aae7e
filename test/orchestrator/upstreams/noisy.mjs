// Prints what is no protocol on stdout, before and between its answers.
import { speak, text } from './speak.mjs';

console.log('Welcome to the noisy server!\n\n{"half": ');
console.log('[1, 2]\nnull\n"text"\n{"jsonrpc":"1.0","id":1}');
speak(() => [
  {
    name: 'work',
    inputSchema: { type: 'object' },
    call: () => {
      console.log('debug: at work \u0000\u001b[31m');
      return text('worked');
    },
  },
]);
