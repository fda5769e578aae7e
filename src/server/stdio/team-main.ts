import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { AGENT_VARIABLE, isTeam, TEAM_VARIABLE, VIEW_VARIABLE } from '../../domain/team.ts';
import type { Caller } from '../../domain/principal.ts';
import { openFleet, type OpenedFleet } from '../../fleet/open-fleet.ts';
import { packageVersion } from '../../platform/package.ts';
import { serveMcpStdio } from './stdio.ts';
import type { ToolService } from '../../orchestrator/calls/tool-service.ts';

/** The fleet's operations for one agent that runs a team, and the tools of its view, on a socket of its own. Started by that
 *  agent's runner, outside of the agent's containment, and gone with it: its stdin ends then. */
const [socket] = process.argv.slice(2);
const team: unknown = JSON.parse(process.env[TEAM_VARIABLE] ?? 'null');
const view = process.env[VIEW_VARIABLE];
const agent = process.env[AGENT_VARIABLE];
if (socket === undefined || agent === undefined) throw new Error('usage: team-main SOCKET');
let tools: ToolService | undefined;
process.stdin.on('end', () => end()).resume();

const opened = openFleet({ env: process.env, cwd: process.cwd() });
await opened.loadAll();
const caller: Caller = {
  principal: { kind: 'agent', name: agent },
  door: 'mcp-stdio',
  source: 'ai',
  scopes: new Set(['read', 'operate']),
  ...(isTeam(team) ? { team } : {}),
  ...(view === undefined ? {} : { views: [view] }),
};
if (view !== undefined) tools = await openTools(opened);
rmSync(socket, { force: true });
process.umask(0o077);
createServer((connection) => {
  connection.on('error', () => {});
  void serveMcpStdio({
    fleet: opened.fleet,
    caller,
    version: packageVersion(),
    tools,
    streams: { stdin: connection, stdout: connection },
  });
}).listen(socket, () => process.stdout.write('ready\n'));

function end(): never {
  tools?.[Symbol.dispose]();
  process.exit(0);
}

async function openTools({ fleet, home, calls: approvals, config }: OpenedFleet): Promise<ToolService> {
  const [{ openTools }, { makeToolService }] = await Promise.all([
    import('../../orchestrator/open-tools.ts'),
    import('../../orchestrator/calls/tool-service.ts'),
  ]);
  const opened = await openTools({ home, env: process.env, hosts: false, config: await config(), fleet });
  return makeToolService({ tools: opened, fleet, home, approvals });
}
