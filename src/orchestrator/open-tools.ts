import { requireTrust, type ConfigSource, type LoadedConfig } from '../config/config-source.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { fleetRegistry } from './fleet-registry.ts';
import { RegistryAgent } from './registry-agent.ts';
import type { ServerPolicy } from './offer-upstream.ts';
import { Orchestrator } from './orchestrator.ts';
import { defineServer, type ServerDefinition } from './server-definition.ts';
import type { View } from '../domain/view.ts';
import { ToolModules } from './tool-modules.ts';
import { Views } from './views.ts';
import { SteadyServers, type SteadyParts } from './steady-servers.ts';

const LOOK_MS = 1_000;
const DEFAULT_POLICY: ServerPolicy = { prefix: true, approve: 'destructive' };

export interface ToolsParts extends SteadyParts {
  readonly env: NodeJS.ProcessEnv;
  readonly config: ConfigSource;
  readonly fleet: Fleet;
}

/** The tools behind the doors of a fleet, as its configuration says it now. */
export interface Tools extends AsyncDisposable {
  readonly orchestrator: Orchestrator;
  readonly views: Views;
  /** The servers as the configuration has them. */
  definitions(): readonly ServerDefinition[];
  /** True: tools are searched for, and not listed. */
  searches(): boolean;
  /** False: no answer of a client's user counts as the person's. */
  asksClients(): boolean;
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
  let unreadable: string | undefined;
  let unusable: string | undefined;
  const orchestrator = new Orchestrator({
    servers,
    policy: (server) => loaded?.config.mcpServers[server] ?? DEFAULT_POLICY,
    rules: () => loaded?.config.approve_tools ?? [],
  });
  const modules = new ToolModules(orchestrator);
  const use = async (now: LoadedConfig): Promise<void> => {
    if (startsPrograms(now)) requireTrust(now);
    loaded = now;
    await servers.declare(definitionsOf(now, env));
    await modules.declare(now.config.tool_modules);
  };
  const look = async (): Promise<void> => {
    let now: LoadedConfig;
    try {
      now = config.current();
      unreadable = undefined;
    } catch (thrown) {
      unreadable = textOf(thrown);
      return;
    }
    const print = `${now.hash} ${now.trusted}`;
    if (print === hash) return;
    hash = print;
    unusable = undefined;
    await use(now).catch((thrown: unknown) => (unusable = textOf(thrown)));
    orchestrator.refresh();
  };
  await orchestrator.register(new RegistryAgent(fleetRegistry(parts.fleet)));
  await look();
  const timer = setInterval(() => void look(), LOOK_MS).unref();
  return {
    orchestrator,
    views: new Views((name) => (loaded === undefined ? undefined : namedView(loaded, name))),
    definitions: () => (loaded === undefined ? [] : definitionsOf(loaded, env)),
    searches: () => loaded?.config.tool_search ?? false,
    asksClients: () => loaded?.config.ask_clients ?? true,
    problem: () => unreadable ?? unusable,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await orchestrator[Symbol.asyncDispose]();
    },
  };
}

function startsPrograms({ config: { mcpServers, tool_modules } }: LoadedConfig): boolean {
  return Object.keys({ ...mcpServers, ...tool_modules }).length > 0;
}

function namedView({ config: { views } }: LoadedConfig, name: string): View | undefined {
  return Object.hasOwn(views, name) ? views[name] : undefined;
}

function definitionsOf({ config, directory }: LoadedConfig, env: NodeJS.ProcessEnv) {
  return Object.entries(config.mcpServers)
    .filter(([, { disabled }]) => !disabled)
    .map(([name, server]) => defineServer(name, server, { directory, env }));
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
