import { setTimeout as delay } from 'node:timers/promises';
import type { CallToolResult, Server, ServerContext, Tool } from '@modelcontextprotocol/server';
import { FleetError, quote } from '../../domain/values/errors.ts';
import type { Caller } from '../../domain/principal.ts';
import { nearest } from '../../domain/values/text.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import { invoke } from '../../operations/invoke.ts';
import type { Operation } from '../../operations/operation.ts';
import { findOperation, OPERATIONS } from '../../operations/table.ts';
import { failure } from '../../orchestrator/calls/mcp-failure.ts';
import { schemasOf } from '../../operations/operation-schemas.ts';
import { reportDefect } from '../../platform/report-defect.ts';
import type { ToolService } from '../../orchestrator/calls/tool-service.ts';

/** A client may drop a progress notification that the result follows at once. */
const PROGRESS_SETTLE_MS = 5;

export interface ToolParts {
  readonly fleet: Fleet;
  readonly caller: Caller;
  /** With it the tools of upstream servers are offered as well. */
  readonly tools?: ToolService | undefined;
}

/** Offers the operations that the caller may use as tools. */
export function addTools(server: Server, { fleet, caller, tools }: ToolParts): void {
  server.setRequestHandler('tools/list', () => ({
    tools: [
      ...allowed(caller, tools)
        .filter((operation) => isListed(operation, caller))
        .map(toTool),
      // What an upstream server says is passed on as it is.
      ...(tools === undefined ? [] : (tools.offers.listed(caller) as readonly Tool[])),
    ],
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const progress = new ProgressSender(context);
    const { signal } = context.mcpReq;
    try {
      const answer = await invoke(operationNamed(params, caller, tools), params.arguments, {
        fleet,
        caller,
        signal,
        progress: (message) => progress.send(message),
      });
      return success(answer);
    } catch (thrown) {
      return { ...failure(signal.aborted ? canceled(thrown) : reportDefect(thrown, params.name)) };
    } finally {
      await progress.settle();
    }
  });
}

function allowed(caller: Caller, tools: ToolService | undefined): Operation[] {
  return OPERATIONS.filter(
    (operation) =>
      isShown(operation, caller, tools) &&
      operation.scopes.some(
        (scope) => caller.scopes.has(scope) && (scope !== 'self' || caller.self !== undefined),
      ),
  );
}

/** A call is answered either way: the list is short to save tokens, not to deny rights. */
function isListed({ on_request = false }: Operation, { all_tools, views }: Caller): boolean {
  return !on_request || all_tools === true || views !== undefined;
}

function isShown({ name, hints }: Operation, caller: Caller, tools: ToolService | undefined): boolean {
  return tools === undefined || tools.offers.showsOwn({ name, readOnly: hints.readOnly }, caller);
}

function operationNamed(
  params: { readonly name: string },
  caller: Caller,
  tools: ToolService | undefined,
): Operation {
  const { name } = params;
  const operation = findOperation(name);
  if (operation !== undefined && isShown(operation, caller, tools)) return operation;
  const upstream = tools?.offers.for(caller).map((each) => String(each['name'])) ?? [];
  const names = [...allowed(caller, tools).map((each) => each.name), ...upstream];
  const hint = nearest(name, names);
  const missing = new FleetError(
    'NOT_FOUND',
    `There is no tool ${quote(name)}. ${hint === undefined ? `There are: ${names.join(', ') || 'none'}.` : `Did you mean "${hint}"?`}`,
    { reason: 'TOOL_NOT_FOUND', tools: names },
  );
  throw tools?.relay.refused({ ...params }, caller, missing) ?? missing;
}

function toTool(operation: Operation): Tool {
  const { input, output } = schemasOf(operation);
  return {
    name: operation.name,
    title: operation.title,
    description: operation.description,
    inputSchema: input,
    outputSchema: output,
    annotations: {
      title: operation.title,
      readOnlyHint: operation.hints.readOnly,
      destructiveHint: operation.hints.destructive,
      idempotentHint: operation.hints.idempotent,
      openWorldHint: false,
    },
  };
}

function success(answer: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: { ...answer } };
}

/** Nobody reads this: the client that canceled has stopped listening. */
function canceled(cause: unknown): FleetError {
  return new FleetError('CONFLICT', 'The client canceled this call.', { reason: 'canceled' }, cause);
}

class ProgressSender {
  readonly #context: ServerContext;
  #count = 0;
  #sent: Promise<void> = Promise.resolve();

  constructor(context: ServerContext) {
    this.#context = context;
  }

  send(message: string): void {
    const { mcpReq } = this.#context;
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined || mcpReq.signal.aborted) return;
    this.#count += 1;
    const params = { progressToken, progress: this.#count, message };
    // A client that is gone is told nothing; its abort signal ends the operation.
    this.#sent = mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  }

  async settle(): Promise<void> {
    if (this.#count === 0) return;
    await this.#sent;
    await delay(PROGRESS_SETTLE_MS);
  }
}
