import type { Driver, DriverContext, DriverSession } from '../programs/driver.ts';
import { AcpAgent } from './acp-agent.ts';

/** Agents that speak the Agent Client Protocol. */
export function acpDriver(kind: string): Driver {
  return { kind, open: (context: DriverContext): Promise<DriverSession> => AcpAgent.open(context) };
}
