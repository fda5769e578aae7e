import { serveMcpStdio } from '../../src/server/stdio/stdio.ts';
import { makeTinyFleet } from './tiny-backend.ts';

/** A whole MCP server on stdio over a fleet in memory: the agent "sony" is idle, "papi" is busy for ever. */
const { fleet, backend } = makeTinyFleet();
backend.addAgent('sony');
backend.addAgent('papi');
backend.setBusy('papi', 'a long task');
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
await serveMcpStdio({
  fleet,
  caller: {
    principal: { kind: 'mcp', name: 'stdio' },
    door: 'mcp-stdio',
    source: 'ai',
    scopes: new Set(['read', 'operate']),
  },
  version: '1.2.3',
  signal: stop.signal,
});
