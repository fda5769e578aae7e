import { programFile } from '../platform/package.ts';
import { acpDriver } from './acp/acp-driver.ts';
import { ACP_KINDS } from './acp/acp-kinds.ts';
import { SELF_SERVER } from './acp/session-options.ts';
import { commandDriver } from './programs/command-driver.ts';
import type { Driver, StartedServer } from './programs/driver.ts';

const DRIVERS: readonly Driver[] = [commandDriver, ...ACP_KINDS.map(acpDriver)];

/** What drives agents of a kind, wherever they run. */
export function driverOf(kind: string): Driver {
  const driver = DRIVERS.find((each) => each.kind === kind);
  if (driver === undefined) throw new Error(`this version has no driver for agents of kind "${kind}"`);
  return driver;
}

/** By which an agent that speaks MCP speaks of itself. */
export function selfServer(env: Readonly<Record<string, string>>): StartedServer {
  const own = Object.entries(env).filter(([name]) => name === 'PATH' || name.startsWith('FLEET_'));
  return {
    name: SELF_SERVER,
    command: [process.execPath, programFile('runner/self-mcp-main')],
    env: Object.fromEntries(own),
  };
}
