import { parseArgs } from 'node:util';
import { startModelServer } from './model-server.ts';

// The scripted model as a program: node test/support/model-server/main.ts [--port N] [--json]
const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, json: { type: 'boolean' } },
});
const { url } = await startModelServer(Number(values.port));
process.stdout.write(values.json === true ? `${JSON.stringify({ url, pid: process.pid })}\n` : `${url}\n`);
