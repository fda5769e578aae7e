import type { CompleteRequestParams, CompleteResult, Server } from '@modelcontextprotocol/server';
import type { Caller } from '../../domain/principal.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import type { UpstreamContext } from './upstream-context.ts';
import { AGENT_LOG_URI_TEMPLATE, AGENT_URI_TEMPLATE } from './resource-uris.ts';

const MOST = 100;

interface CompletionParts {
  readonly fleet: Fleet;
  readonly caller: Caller;
  readonly upstream?: UpstreamContext | undefined;
}

/** Completes the names of agents, projects and roles. */
export function addCompletions(server: Server, { fleet, caller, upstream }: CompletionParts): void {
  server.setRequestHandler('completion/complete', async ({ params }, { mcpReq }): Promise<CompleteResult> => {
    const theirs = await upstream?.complete(params, mcpReq.signal);
    if (theirs !== undefined) return theirs as CompleteResult;
    const known = caller.scopes.has('read') ? await candidates(fleet, params) : [];
    const typed = params.argument.value.toLowerCase();
    const values = [...new Set(known)].filter((name) => name.toLowerCase().startsWith(typed)).toSorted();
    return {
      completion: { values: values.slice(0, MOST), total: values.length, hasMore: values.length > MOST },
    };
  });
}

async function candidates(fleet: Fleet, params: CompleteRequestParams): Promise<readonly string[]> {
  switch (wanted(params)) {
    case 'agent':
      return (await fleet.listAgents({})).agents.map((agent) => agent.name);
    case 'project':
      return (await fleet.listProjects()).map((project) => project.name);
    case 'role':
      return await roleNames(fleet, params.context?.arguments?.['project']);
    case undefined:
      return [];
  }
}

function wanted({ ref, argument }: CompleteRequestParams): 'agent' | 'project' | 'role' | undefined {
  if (ref.type === 'ref/resource') {
    const ours = ref.uri === AGENT_URI_TEMPLATE || ref.uri === AGENT_LOG_URI_TEMPLATE;
    return ours && argument.name === 'name' ? 'agent' : undefined;
  }
  switch (`${ref.name}.${argument.name}`) {
    case 'unblock_agent.agent_name':
      return 'agent';
    case 'delegate_spec.project':
      return 'project';
    case 'delegate_spec.role':
      return 'role';
    default:
      return undefined;
  }
}

/** The roles of the project that is filled in already, else of all. */
async function roleNames(fleet: Fleet, chosen: string | undefined): Promise<readonly string[]> {
  const projects = (await fleet.listProjects()).map((project) => project.name);
  const known = projects.filter((name) => name.toLowerCase() === chosen?.toLowerCase());
  const answers = await Promise.all(
    (known.length > 0 ? known : projects).map((name) => fleet.listRoles(name)),
  );
  return answers.flatMap(({ roles }) => roles.map((role) => role.name));
}
