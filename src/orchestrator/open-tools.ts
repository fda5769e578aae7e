import { requireTrust, type ConfigSource, type LoadedConfig } from '../config/config-source.ts';
import { Orchestrator, type ServerPolicy } from './orchestrator.ts';
import { defineServer } from './server-definition.ts';
import { SteadyServers, type SteadyParts } from './steady-servers.ts';

const LOOK_MS = 1_000;
const DEFAULT_POLICY: ServerPolicy = { prefix: true, approve: 'destructive' };

export interface ToolsParts extends SteadyParts {
  readonly env: NodeJS.ProcessEnv;
  readonly config: ConfigSource;
}

/** The tools behind the doors of a fleet, as its configuration says it now. */
export interface Tools extends AsyncDisposable {
  readonly orchestrator: Orchestrator;
  /** Why the configuration cannot be used; the servers of the one before stay. */
  problem(): string | undefined;
}

/** Opens the upstream servers that are configured. A configuration that changes takes hold within a second, and servers
 *  that are the same in it are not touched. */
export async function openTools(parts: ToolsParts): Promise<Tools> {
  const { config, env } = parts;
  const servers = new SteadyServers(parts);
  let loaded: LoadedConfig | undefined;
  let hash: string | undefined;
  let problem: string | undefined;
  const orchestrator = new Orchestrator({
    servers,
    policy: (server) => loaded?.config.mcpServers[server] ?? DEFAULT_POLICY,
    rules: () => loaded?.config.approve_tools ?? [],
  });
  const look = async (): Promise<void> => {
    try {
      const now = config.current();
      problem = undefined;
      const print = `${now.hash} ${now.trusted}`;
      if (print === hash) return;
      hash = print;
      if (Object.keys(now.config.mcpServers).length > 0) requireTrust(now);
      loaded = now;
      await servers.declare(definitionsOf(now, env));
    } catch (thrown) {
      problem = thrown instanceof Error ? thrown.message : String(thrown);
    }
  };
  await look();
  const timer = setInterval(() => void look(), LOOK_MS).unref();
  return {
    orchestrator,
    problem: () => problem,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await orchestrator[Symbol.asyncDispose]();
    },
  };
}

function definitionsOf({ config, directory }: LoadedConfig, env: NodeJS.ProcessEnv) {
  return Object.entries(config.mcpServers)
    .filter(([, { disabled }]) => !disabled)
    .map(([name, server]) => defineServer(name, server, { directory, env }));
}
