import { FleetError } from '../../domain/values/errors.ts';
import type { Caller } from '../../domain/principal.ts';
import { OWN_SERVER } from '../../domain/values/view.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import type { OfferedTool } from '../tool-agents/mcp-agent.ts';
import type { Orchestrator } from '../orchestrator.ts';
import type { Tools } from '../open-tools.ts';
import type { Views } from '../views.ts';
import { SEARCH_TOOLS } from './tool-search.ts';

/** Which tools a caller is offered, beside the operations that its scopes give it. */
export class OfferedTools {
  readonly #orchestrator: Orchestrator;
  readonly views: Views;
  readonly searches: () => boolean;

  constructor({ orchestrator, views, searches }: Pick<Tools, 'orchestrator' | 'views' | 'searches'>) {
    this.#orchestrator = orchestrator;
    this.views = views;
    this.searches = searches;
  }

  /** What a caller is listed: all that it may use, or the tools by which it finds them. */
  listed(caller: Caller): readonly JsonObject[] {
    return this.searches() ? SEARCH_TOOLS : this.for(caller);
  }

  /** Tools of upstream servers and registries that a caller may use, as they describe themselves. */
  for(caller: Caller): readonly JsonObject[] {
    const { upstreamTools, registeredTools } = this.#orchestrator;
    return [...upstreamTools, ...registeredTools.filter(({ server }) => server !== OWN_SERVER)]
      .filter((offered) => this.#shows(offered, caller) && mayUse(offered, caller))
      .map(({ name, tool }) => ({ ...tool, name }));
  }

  /** True when an own operation stands in the caller's view; agents have them by their team alone. */
  showsOwn(
    { name, readOnly }: { readonly name: string; readonly readOnly: boolean },
    caller: Caller,
  ): boolean {
    if (caller.principal.kind === 'agent') return caller.team !== undefined || caller.self !== undefined;
    return this.views.shows(caller, { server: OWN_SERVER, name, readOnly });
  }

  /** A tool outside the caller's view is NOT_FOUND, one that it may not use is FORBIDDEN, and one of a module that could
   *  not be loaded fails with the reason. */
  checked(name: string, offered: OfferedTool | undefined, caller: Caller): OfferedTool {
    if (offered === undefined || !this.#shows(offered, caller)) {
      const failure = offered === undefined ? this.#orchestrator.failureOf(name) : undefined;
      if (failure !== undefined && this.views.showsServer(caller, failure.agent)) throw failure.error;
      throw this.#orchestrator.notFound(
        name,
        caller.views === undefined ? undefined : this.#namesFor(caller),
      );
    }
    if (offered.server === OWN_SERVER || mayUse(offered, caller)) return offered;
    const { kind, name: who } = caller.principal;
    throw new FleetError('FORBIDDEN', `${kind} "${who}" may not use ${name}. It needs the scope operate.`, {
      scopes: ['operate'],
    });
  }

  #namesFor(caller: Caller): readonly string[] {
    const { upstreamTools, registeredTools } = this.#orchestrator;
    return [...registeredTools, ...upstreamTools]
      .filter((offered) => this.#shows(offered, caller) && mayUse(offered, caller))
      .map(({ name }) => name);
  }

  #shows(offered: OfferedTool, caller: Caller): boolean {
    const readOnly = isReadOnly(offered);
    if (offered.server === OWN_SERVER) return this.showsOwn({ name: offered.name, readOnly }, caller);
    return caller.views === undefined || this.views.shows(caller, { ...offered, readOnly });
  }
}

/** Who may only look may use tools that only look. */
function mayUse(offered: OfferedTool, { scopes }: Caller): boolean {
  return scopes.has('operate') || (scopes.has('read') && isReadOnly(offered));
}

function isReadOnly({ tool: { annotations } }: OfferedTool): boolean {
  return isObject(annotations) && annotations['readOnlyHint'] === true;
}
