import { describe } from 'vitest';
import { describeDoor } from './door-tests.ts';
import { CLIENT_KINDS } from './mcp-clients.ts';

const program = new URL('stdio-program.ts', import.meta.url).pathname;

describe.each(CLIENT_KINDS)('MCP on stdio for %s', (kind) => {
  describeDoor({ name: 'stdio', door: () => ({ command: process.execPath, args: [program] }) }, kind);
});
