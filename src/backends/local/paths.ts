import { join } from 'node:path';
import { placeSocket, socketPath } from '../../platform/socket-path.ts';

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
  /** Where what the agent sees of the fleet's home is put together. */
  readonly stage: string;
  readonly worktree: string;
  readonly runnerLog: string;
  readonly archive: string;
}

const SOCKETS = { fleet: 'runner.sock', self: 'self.sock', team: 'team.sock' };

/** Done by whoever listens on the agent's sockets, before. */
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
    worktree: join(home, 'worktrees', workspaceId),
    runnerLog: join(directory, 'runner.log'),
    archive: join(home, 'archive', workspaceId),
  };
}
