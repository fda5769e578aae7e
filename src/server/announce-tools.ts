import type { Server } from '@modelcontextprotocol/server';
import { afterClose } from './after-close.ts';
import type { ToolDoor } from './tool-door.ts';

/** Tells the client of a connection that lasts when the tools change. */
export function announceTools(server: Server, { orchestrator }: ToolDoor): void {
  const stop = orchestrator.onToolsChanged(() => void server.sendToolListChanged().catch(() => {}));
  afterClose(server, stop);
}
