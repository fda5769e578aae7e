import {
  ProtocolError,
  ProtocolErrorCode,
  type GetPromptResult,
  type Prompt,
  type PromptArgument,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { quote } from '../../domain/values/errors.ts';
import type { JsonObject } from '../../wire/json-rpc.ts';
import type { UpstreamContext } from './upstream-context.ts';

interface PromptDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  text(values: Readonly<Record<string, string>>): string;
}

const PROMPTS: readonly PromptDefinition[] = [
  {
    name: 'delegate_spec',
    title: 'Delegate a spec',
    description: 'Have an agent of a project work until a spec is met',
    arguments: [
      { name: 'project', description: 'Project to work in, see list_agent_projects', required: true },
      { name: 'spec', description: 'What must be true in the end', required: true },
      { name: 'role', description: "Role of the agent; default: the project's", required: false },
    ],
    text: ({ project, spec, role }) =>
      [
        `Delegate this spec to a new agent in the project ${quote(project)}${role === undefined ? '' : ` with the role ${quote(role)}`}.`,
        '1. Create the agent with create_agent: give the spec below as `spec`, and as `task` the first step towards it, written so that someone without this conversation can do it.',
        '2. Wait with wait_for_agents. Read show_agent and show_agent_task_history when it is idle or needs attention.',
        '3. Compare what was done with the spec. While something is missing, give the next task with start_agent_task and wait again.',
        '4. When the spec is met, or a human has to decide, say so with the evidence: branch, commits, what was checked. Do not delete the agent unless you are asked to.',
        '',
        'The spec:',
        spec,
      ].join('\n'),
  },
  {
    name: 'review_fleet',
    title: 'Review the fleet',
    description: 'Report what every agent is doing and which agents need a human',
    arguments: [],
    text: () =>
      [
        'Review the fleet.',
        '1. Call list_agents. For each agent that needs attention, is stuck or has failed, read show_agent, and show_agent_task_history or show_agent_log for the reason.',
        '2. Report in this order: agents that need a human and what is asked of them; agents at work, on what and since when; idle agents with the result of their last task; offline agents.',
        '3. Propose the next step for each agent that needs one. Change nothing before you are told to.',
      ].join('\n'),
  },
  {
    name: 'unblock_agent',
    title: 'Unblock an agent',
    description: 'Find out why an agent makes no progress, and help it',
    arguments: [{ name: 'agent_name', description: 'The agent, see list_agents', required: true }],
    text: ({ agent_name }) =>
      [
        `Find out why the agent ${quote(agent_name)} makes no progress, and help it.`,
        '1. Read show_agent (status_reason says on what evidence), show_agent_task_history, and show_agent_log with a page_size of 50.',
        '2. Say in one sentence what blocks it.',
        '3. Take the mildest step that helps: a clearer or smaller task (start_agent_task; when_busy: interrupt if it is stuck), cancel_agent_task, restart_agent. acknowledge_agent when what it reported is dealt with. Never delete it.',
        '4. Wait with wait_for_agents and say whether it gets on. If only a human can decide, say what and why.',
      ].join('\n'),
  },
];

export function addPrompts(server: Server, upstream?: UpstreamContext): void {
  server.setRequestHandler('prompts/list', () => ({
    prompts: [
      ...PROMPTS.map(({ name, title, description, arguments: args }) => ({
        name,
        title,
        description,
        arguments: [...args],
      })),
      // What an upstream server says is passed on as it is.
      ...((upstream?.prompts() ?? []) as readonly Prompt[]).filter(({ name }) => !isOwn(name)),
    ],
  }));
  server.setRequestHandler('prompts/get', async ({ params }, { mcpReq }) => {
    const { name, arguments: args } = params;
    if (isOwn(name)) return getPrompt(name, args ?? {});
    const given = await upstream?.getPrompt(name, givenWith(args, mcpReq), mcpReq.signal);
    return given === undefined ? getPrompt(name, args ?? {}) : (given as GetPromptResult);
  });
}

function isOwn(name: unknown): boolean {
  return PROMPTS.some((each) => each.name === name);
}

/** What a client of the new era answers comes beside the arguments. */
function givenWith(args: unknown, mcpReq: ServerContext['mcpReq']): JsonObject {
  const { inputResponses } = mcpReq;
  const requestState = mcpReq.requestState();
  return {
    ...(args === undefined ? {} : { arguments: args }),
    ...(inputResponses === undefined ? {} : { inputResponses }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

function getPrompt(name: string, values: Readonly<Record<string, string>>): GetPromptResult {
  const prompt = PROMPTS.find((each) => each.name === name);
  if (prompt === undefined) {
    const names = PROMPTS.map((each) => each.name).join(', ');
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no prompt ${quote(name)}. There are: ${names}.`,
    );
  }
  for (const argument of prompt.arguments) {
    if (argument.required === true && (values[argument.name] ?? '').trim() === '') {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `The prompt "${name}" needs the argument "${argument.name}".`,
      );
    }
  }
  return {
    description: prompt.description,
    messages: [{ role: 'user', content: { type: 'text', text: prompt.text(values) } }],
  };
}
