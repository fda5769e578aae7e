import { cut } from '../../domain/values/text.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import type { SessionTools } from './session-tools.ts';
import type { SessionTool } from './session-tool.ts';

/** Agents that a question describes. */
const MOST_AGENTS = 5;
const LONGEST = 300;

/** What a call would do, as far as it can be known beforehand: what the tool is for, and the agents that it is about. */
export async function callEffect(
  tools: Pick<SessionTools, 'look'>,
  { tool, args }: { readonly tool: SessionTool; readonly args: JsonObject },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const names = agentNames(args);
  const about = await Promise.all(
    names.slice(0, MOST_AGENTS).map((name) =>
      describeAgent(tools, name, signal).catch(() => {
        signal.throwIfAborted();
        return [];
      }),
    ),
  );
  const more = names.length > MOST_AGENTS ? [`and ${names.length - MOST_AGENTS} more agents.`] : [];
  return [cut(tool.description, LONGEST), ...about.flat(), ...more];
}

function agentNames({ agent_name, agent_names }: JsonObject): readonly string[] {
  if (typeof agent_name === 'string') return [agent_name];
  if (typeof agent_names === 'string') return agent_names.split(',').map((name) => name.trim());
  return Array.isArray(agent_names) ? agent_names.map(String) : [];
}

async function describeAgent(
  tools: Pick<SessionTools, 'look'>,
  name: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const shown = await tools.look('show_agent', { agent_name: name }, signal);
  const agent = isObject(shown?.['agent']) ? shown['agent'] : undefined;
  if (agent === undefined) return [];
  const diff = await tools.look('show_agent_diff', { agent_name: name }, signal).catch(() => undefined);
  const status = `${name} is ${String(agent['status'])}`;
  if (diff === undefined) return [`${status}.`];
  const { total_files, insertions, deletions, branch, uncommitted } = diff;
  const where = typeof branch === 'string' ? ` on ${branch}` : '';
  const open = uncommitted === true ? ', some of it not committed' : '';
  return [
    `${status}; it changed ${String(total_files)} ${total_files === 1 ? 'file' : 'files'} (+${String(insertions)} -${String(deletions)})${where}${open}.`,
  ];
}
