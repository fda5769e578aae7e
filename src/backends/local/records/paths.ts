import { join } from 'node:path';
import { placeSocket, socketPath } from '../../../platform/socket-path.ts';

/** Where the parts of one agent lie. */
export interface AgentPaths {
  readonly directory: string;
  readonly journal: string;
  readonly startLock: string;
  readonly socket: string;
  readonly selfSocket: string;
  /** By which an agent that runs a team reaches the fleet. */
  readonly teamSocket: string;
  readonly bin: string;
  /** Where what the agent sees of the machine is put together. */
  readonly stage: string;
  /** What the agent has as /tmp and /var/tmp. */
  readonly temporary: string;
  readonly longTemporary: string;
  /** Where the coding agent keeps its settings and its sessions. */
  readonly state: string;
  /** Where the agent works; agents of older versions work elsewhere. */
  readonly workspace: string;
  /** What was seen at the last look at the workspace. */
  readonly lastLook: string;
  readonly runnerLog: string;
  readonly archive: string;
}

const SOCKETS = { fleet: 'runner.sock', self: 'self.sock', team: 'team.sock' };

/** Done by the process that is going to listen on the agent's sockets. */
export function placeSockets(home: string, workspaceId: string): void {
  const { directory } = agentPaths(home, workspaceId);
  for (const name of Object.values(SOCKETS)) placeSocket(directory, name);
}

export function agentPaths(home: string, workspaceId: string): AgentPaths {
  const directory = join(home, 'agents', workspaceId);
  return {
    directory,
    journal: join(directory, 'journal.db'),
    startLock: join(directory, 'start.db'),
    socket: socketPath(directory, SOCKETS.fleet),
    selfSocket: socketPath(directory, SOCKETS.self),
    teamSocket: socketPath(directory, SOCKETS.team),
    bin: join(directory, 'bin'),
    stage: join(directory, 'stage'),
    temporary: join(directory, 'tmp'),
    longTemporary: join(directory, 'var-tmp'),
    state: join(directory, 'state'),
    workspace: join(directory, 'work'),
    lastLook: join(directory, 'last-look.json'),
    runnerLog: join(directory, 'runner.log'),
    archive: join(home, 'archive', workspaceId),
  };
}
