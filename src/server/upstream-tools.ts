import type { Caller } from '../domain/principal.ts';
import { isObject, type JsonObject } from '../orchestrator/json-rpc.ts';
import type { OfferedTool } from '../orchestrator/mcp-agent.ts';
import type { Orchestrator } from '../orchestrator/orchestrator.ts';

/** The tools of upstream servers that a caller may use, as their servers describe them. */
export function upstreamToolsFor(orchestrator: Orchestrator, caller: Caller): readonly JsonObject[] {
  return orchestrator.upstreamTools
    .filter((offered) => mayUse(offered, caller))
    .map(({ name, tool }) => ({ ...tool, name }));
}

/** Who may only look may use tools that only look. */
export function mayUse({ tool }: OfferedTool, { scopes }: Caller): boolean {
  if (scopes.has('operate')) return true;
  const { annotations } = tool;
  return scopes.has('read') && isObject(annotations) && annotations['readOnlyHint'] === true;
}
