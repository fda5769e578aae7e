import { givenSpec, type Launch } from '../../domain/launch.ts';
import type { DriverContext } from '../programs/driver.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';

/** The tools by which an agent speaks of itself, as the server that is given to it calls them. */
export const SELF_SERVER = 'fleet';

/** The operations of a fleet, for an agent that runs a team. */
export const TEAM_SERVER = 'team';

/** MCP servers of the fleet, as the agent is told of them. */
export function injectedServers({ servers }: DriverContext): readonly object[] {
  return servers.map((server) => {
    if ('url' in server)
      return { type: 'http', name: server.name, url: server.url, headers: namedValues(server.headers) };
    const [command, ...args] = server.command;
    return { name: server.name, command, args, env: namedValues(server.env) };
  });
}

function namedValues(values: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

/** What a session is made with beside its directory: the system prompt, and how much of the repository it may trust. */
export function sessionOptions(context: DriverContext, { sessionCapabilities }: JsonObject): object {
  const { launch } = context;
  const content = [{ type: 'text', text: systemPrompt(launch) }];
  const prompt = takesSystemPrompt({ sessionCapabilities })
    ? { systemPrompt: { mode: 'append', content } }
    : {};
  return launch.agent === 'claude' ? { ...prompt, _meta: claudeMeta(context) } : prompt;
}

/** An agent that takes none is told the same before its first task. */
export function takesSystemPrompt({ sessionCapabilities }: JsonObject): boolean {
  return isObject(sessionCapabilities) && isObject(sessionCapabilities['systemPrompt']);
}

/** Claude Code reads a repository's own settings, hooks and MCP servers unless it is told not to. */
function claudeMeta({ launch: { trust_repository }, servers }: DriverContext): object {
  const own = servers.filter(({ name }) => name === SELF_SERVER || name === TEAM_SERVER);
  return {
    claudeCode: {
      options: {
        settingSources: trust_repository === true ? ['user', 'project', 'local'] : ['user'],
        strictMcpConfig: trust_repository !== true,
        promptSuggestions: false,
        allowedTools: own.map(({ name }) => `mcp__${name}`),
      },
    },
  };
}

/** The role's prompt, the spec when one was given, and what the fleet's own tools are for. */
export function systemPrompt(launch: Launch): string {
  const spec = givenSpec(launch);
  return [
    launch.system_prompt ?? '',
    `You are the agent "${launch.name}" of a fleet, in the role ${launch.role}.`,
    spec === ''
      ? ''
      : `Your spec, which all your tasks converge on:\n${spec}\n\nWhen a task and the spec disagree, or the spec cannot be met as written, say so and ask instead of guessing. Before you report that you are done, run the checks that the spec names and compare your work with it point by point.`,
    `The MCP server "${SELF_SERVER}" is how you speak to the fleet: report_task for milestones, results (with a uri) and failures, set_agent_metadata for facts about your work that others look up, start_agent_task to queue a task for yourself. Search for these tools if you do not see them.`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
