import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
  type Server,
} from '@modelcontextprotocol/server';
import type { Caller } from '../../domain/principal.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import { invoke } from '../../operations/invoke.ts';
import { listAgents } from '../../operations/list-agents.ts';
import { showAgentLog } from '../../operations/show-agent-log.ts';
import { showAgent } from '../../operations/show-agent.ts';
import { afterClose } from '../relay/after-close.ts';
import { reportDefect } from '../../platform/report-defect.ts';
import type { ResourceUpdates } from './resource-updates.ts';
import type { UpstreamContext } from './upstream-context.ts';
import type { UpstreamFollowing } from './upstream-following.ts';
import {
  AGENT_LOG_URI_TEMPLATE,
  AGENT_URI_TEMPLATE,
  AGENTS_URI,
  parseResourceUri,
  type ResourceAddress,
} from './resource-uris.ts';

const JSON_TYPE = 'application/json';
const LOG_ENTRIES = 100;

interface ResourceParts {
  readonly fleet: Fleet;
  readonly caller: Caller;
  /** Without it there are no subscriptions. */
  readonly updates?: ResourceUpdates | undefined;
  readonly upstream?: UpstreamContext | undefined;
  readonly following?: UpstreamFollowing | undefined;
}

export function addResources(server: Server, parts: ResourceParts): void {
  const { fleet, caller, updates, upstream, following } = parts;
  server.setRequestHandler('resources/list', () => ({
    resources: [
      {
        uri: AGENTS_URI,
        name: 'agents',
        title: 'The fleet',
        description: 'All agents with their status, as list_agents answers',
        mimeType: JSON_TYPE,
      },
      // What an upstream server says is passed on as it is.
      ...((upstream?.resources() ?? []) as readonly Resource[]),
    ],
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: AGENT_URI_TEMPLATE,
        name: 'agent',
        title: 'One agent',
        description: 'Everything about one agent, as show_agent answers',
        mimeType: JSON_TYPE,
      },
      {
        uriTemplate: AGENT_LOG_URI_TEMPLATE,
        name: 'agent_log',
        title: 'The log of one agent',
        description: `The newest ${LOG_ENTRIES} log entries of one agent. Subscribers are notified when its tasks or status change, not of every line`,
        mimeType: JSON_TYPE,
      },
      ...((upstream?.resourceTemplates() ?? []) as readonly ResourceTemplateType[]),
    ],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
    const address = parseResourceUri(uri);
    if (address === undefined) {
      const read = await upstream?.read(uri, context.mcpReq.signal);
      if (read === undefined) throw new ResourceNotFoundError(uri);
      return read as ReadResourceResult;
    }
    try {
      const answer = await read(address, { fleet, caller, signal: context.mcpReq.signal });
      return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(answer) }] };
    } catch (thrown) {
      throw toProtocolError(thrown, uri);
    }
  });
  if (updates !== undefined) addSubscriptions(server, updates, following);
}

/** Subscriptions of the old era; those of the new one are served before a request gets here. */
function addSubscriptions(
  server: Server,
  updates: ResourceUpdates,
  following: UpstreamFollowing | undefined,
): void {
  const subscriptions = new Map<string, () => void>();
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    if (subscriptions.has(uri)) return {};
    const tell = (): void => void server.sendResourceUpdated({ uri }).catch(() => {});
    const isOwn = parseResourceUri(uri) !== undefined;
    const stop = isOwn
      ? updates.subscribe((changed) => {
          // Names are the same in upper and lower case; the client knows the one it subscribed to.
          if (changed === uri.toLowerCase()) tell();
        })
      : following?.follow(uri, tell);
    if (stop === undefined) throw new ResourceNotFoundError(uri);
    subscriptions.set(uri, stop);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscriptions.get(uri)?.();
    subscriptions.delete(uri);
    return {};
  });
  afterClose(server, () => {
    for (const stop of subscriptions.values()) stop();
    subscriptions.clear();
  });
}

function read(
  address: ResourceAddress,
  options: { fleet: Fleet; caller: Caller; signal: AbortSignal },
): Promise<object> {
  switch (address.kind) {
    case 'agents':
      return invoke(listAgents, {}, options);
    case 'agent':
      return invoke(showAgent, { agent_name: address.name }, options);
    case 'log':
      return invoke(showAgentLog, { agent_name: address.name, page_size: LOG_ENTRIES }, options);
  }
}

function toProtocolError(thrown: unknown, uri: string): ProtocolError {
  const error = reportDefect(thrown, uri);
  if (error.code === 'NOT_FOUND' || error.code === 'INVALID_INPUT') {
    return new ResourceNotFoundError(uri, error.message);
  }
  return new ProtocolError(ProtocolErrorCode.InternalError, error.message, error.toBody());
}
