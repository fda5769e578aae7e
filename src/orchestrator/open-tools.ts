import { requireTrust, type ConfigSource, type LoadedConfig } from '../config/config-source.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { fleetRegistry } from './tool-agents/fleet-registry.ts';
import { listToolAgents } from './list-tool-agents.ts';
import { logLeftOut } from './servers/log-left-out.ts';
import { RegistryAgent } from './tool-agents/registry-agent.ts';
import type { ServerPolicy, UpstreamTool } from './tool-agents/offer-upstream.ts';
import { Orchestrator } from './orchestrator.ts';
import { SeenHints } from './tool-agents/seen-hints.ts';
import { defineServer, type ServerDefinition } from './servers/server-definition.ts';
import type { View } from '../domain/values/view.ts';
import { ToolModules } from './tool-modules.ts';
import { Views } from './views.ts';
import { SteadyServers, type SteadyParts } from './host/steady-servers.ts';

const LOOK_MS = 1_000;
const CHECK_MS = 10_000;
const DEFAULT_POLICY: ServerPolicy = { prefix: true, approve: 'destructive' };

export interface ToolsParts extends SteadyParts {
  readonly env: NodeJS.ProcessEnv;
  readonly config: ConfigSource;
  readonly fleet: Fleet;
  /** Called with what the operator should know; it goes to the log. */
  readonly warn?: (line: string) => void;
}

/** The tools that a fleet offers, as its configuration says it now. */
export interface Tools extends AsyncDisposable {
  readonly orchestrator: Orchestrator;
  readonly views: Views;
  /** The servers as the configuration has them. */
  definitions(): readonly ServerDefinition[];
  /** True: tools are searched for, and not listed. */
  searches(): boolean;
  /** False: no answer of a client's user counts as the person's. */
  asksClients(): boolean;
  /** Lets the hints of a server's tools count as they are now; the tools that were held. */
  accept(server: string): readonly UpstreamTool[];
  /** Why the configuration cannot be used; the servers of the one before stay. */
  problem(): string | undefined;
}

/** Opens the upstream servers that are configured. A configuration that changes takes hold within a second, and servers
 *  that are the same in it are not touched. */
export async function openTools(parts: ToolsParts): Promise<Tools> {
  const { config, env } = parts;
  const servers = new SteadyServers(parts);
  if (parts.warn !== undefined) logLeftOut(servers, parts.warn);
  let loaded: LoadedConfig | undefined;
  let hash: string | undefined;
  let unreadable: string | undefined;
  let unusable: string | undefined;
  const seen = new SeenHints(parts.home);
  let definitions: readonly ServerDefinition[] = [];
  const definitionOf = (server: string) => definitions.find(({ name }) => name === server);
  const orchestrator = new Orchestrator({
    servers,
    hold: (server, tools) => {
      const definition = definitionOf(server);
      if (definition === undefined) return tools.map((tool) => ({ tool, loosened: [] }));
      return seen.hold(definition, tools);
    },
    policy: (server) => loaded?.config.mcpServers[server] ?? DEFAULT_POLICY,
    rules: () => loaded?.config.approve_tools ?? [],
  });
  const modules = new ToolModules(orchestrator);
  const use = async (now: LoadedConfig): Promise<void> => {
    if (startsPrograms(now)) requireTrust(now);
    loaded = now;
    definitions = definitionsOf(now, env);
    await servers.declare(definitions);
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
    if (print === hash) {
      if (seen.isStale) orchestrator.refresh();
      return;
    }
    hash = print;
    unusable = undefined;
    await use(now).catch((thrown: unknown) => (unusable = textOf(thrown)));
    orchestrator.refresh();
  };
  await orchestrator.register(new RegistryAgent(fleetRegistry(parts.fleet)));
  await look();
  const timer = setInterval(() => void look(), LOOK_MS).unref();
  // A server that runs is asked again and again how its tool agents are; the others when they are looked at.
  const checks = setInterval(() => void orchestrator.health(), CHECK_MS).unref();
  if (parts.hosts) void orchestrator.health();
  else clearInterval(checks);
  const views = new Views((name) => (loaded === undefined ? undefined : namedView(loaded, name)));
  parts.fleet.toolAgents.provide((caller) => listToolAgents({ orchestrator, views }, caller));
  return {
    orchestrator,
    views,
    definitions: () => definitions,
    accept: (server) => {
      const held = orchestrator.upstreamTools.filter(
        (tool) => tool.server === server && tool.loosened.length > 0,
      );
      const definition = definitionOf(server);
      const connection = servers.connections().find(({ serverName }) => serverName === server);
      if (definition !== undefined && connection !== undefined) seen.accept(definition, connection.tools);
      orchestrator.refresh();
      return held;
    },
    searches: () => loaded?.config.tool_search ?? false,
    asksClients: () => loaded?.config.ask_clients ?? true,
    problem: () => unreadable ?? unusable,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      clearInterval(checks);
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
