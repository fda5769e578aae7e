import { randomUUID } from 'node:crypto';
import { FleetError } from '../domain/errors.ts';
import type { Caller } from '../domain/principal.ts';
import { isObject, type JsonObject } from '../orchestrator/json-rpc.ts';
import type { OfferedTool } from '../orchestrator/mcp-agent.ts';
import type { Orchestrator } from '../orchestrator/orchestrator.ts';
import type { ToolCall } from '../orchestrator/tool-agent.ts';

/** The tools of upstream servers that a caller may use, as their servers describe them. */
export function upstreamToolsFor(orchestrator: Orchestrator, caller: Caller): readonly JsonObject[] {
  return orchestrator.upstreamTools
    .filter((offered) => mayUse(offered, caller))
    .map(({ name, tool }) => ({ ...tool, name }));
}

/** Calls a tool of an upstream server; undefined when there is none of that name. */
export async function callUpstreamTool(
  orchestrator: Orchestrator,
  params: JsonObject & { readonly name: string },
  call: Omit<ToolCall, 'correlation_id'>,
): Promise<JsonObject | undefined> {
  const offered = await orchestrator.findUpstream(params.name, call.signal);
  if (offered === undefined) return undefined;
  const { name } = offered;
  if (!mayUse(offered, call.caller)) {
    const { kind, name: who } = call.caller.principal;
    throw new FleetError('FORBIDDEN', `${kind} "${who}" may not use ${name}. It needs the scope operate.`, {
      scopes: ['operate'],
    });
  }
  if (offered.gated) {
    throw new FleetError('APPROVAL_REQUIRED', `A person must allow ${name} before it is called.`, {
      tool: name,
    });
  }
  const correlation_id = randomUUID();
  return orchestrator.callUpstream(name, params, { ...call, correlation_id });
}

/** Who may only look may use tools that only look. */
function mayUse({ tool }: OfferedTool, { scopes }: Caller): boolean {
  if (scopes.has('operate')) return true;
  const { annotations } = tool;
  return scopes.has('read') && isObject(annotations) && annotations['readOnlyHint'] === true;
}
