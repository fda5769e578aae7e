import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { isTeam, TEAM_VARIABLE } from '../domain/team.ts';
import type { Caller } from '../domain/principal.ts';
import { openFleet } from '../fleet/open-fleet.ts';
import { packageVersion } from '../platform/package.ts';
import { serveMcpStdio } from './stdio.ts';

/** The fleet's operations for one agent that runs a team, on a socket of its own. Started by that agent's runner, outside of
 *  the agent's containment, and gone with it: its stdin ends then. */
const [socket] = process.argv.slice(2);
const team: unknown = JSON.parse(process.env[TEAM_VARIABLE] ?? 'null');
if (socket === undefined || !isTeam(team)) throw new Error('usage: team-main SOCKET');
process.stdin.on('end', () => process.exit(0)).resume();

const opened = openFleet({ env: process.env, cwd: process.cwd() });
await opened.loadAll();
const caller: Caller = {
  principal: { kind: 'agent', name: team.of },
  door: 'mcp-stdio',
  source: 'ai',
  scopes: new Set(['read', 'operate']),
  team,
};
rmSync(socket, { force: true });
process.umask(0o077);
createServer((connection) => {
  connection.on('error', () => {});
  void serveMcpStdio({
    fleet: opened.fleet,
    caller,
    version: packageVersion(),
    streams: { stdin: connection, stdout: connection },
  });
}).listen(socket, () => process.stdout.write('ready\n'));
