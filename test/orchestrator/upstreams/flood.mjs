// Answers calls with lines of any size: so many bytes of text, with the id before or after the result.
import { speak, text } from './speak.mjs';

const tool = (name, call) => ({ name, inputSchema: { type: 'object' }, call });
speak(() => [
  tool('flood', ({ bytes }) => text('x'.repeat(bytes))),
  // The result stands before the id, and has members of the same name.
  tool('flood_first', ({ bytes }, { id }) => {
    const content = [{ type: 'text', text: `"}],"id":99,${'x'.repeat(bytes)}\\"` }];
    const result = { content, id: 98, method: 'no' };
    process.stdout.write(`{"result":${JSON.stringify(result)},"jsonrpc":"2.0","id":${id}}\n`);
    return new Promise(() => {});
  }),
  tool('slow', async () => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    return text('slow');
  }),
  tool('who', () => text(String(process.pid))),
]);
