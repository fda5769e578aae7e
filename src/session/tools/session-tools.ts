import { FleetError, toFleetError } from '../../domain/values/errors.ts';
import type { Caller } from '../../domain/principal.ts';
import { nearest } from '../../domain/values/text.ts';
import { OWN_SERVER } from '../../domain/values/view.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import { invoke } from '../../operations/invoke.ts';
import type { Operation } from '../../operations/operation.ts';
import { schemasOf } from '../../operations/operation-schemas.ts';
import { findOperation, OPERATIONS } from '../../operations/table.ts';
import type { RelayClient } from '../../orchestrator/calls/relay-client.ts';
import type { ToolService } from '../../orchestrator/calls/tool-service.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import { RpcError } from '../../wire/rpc-error.ts';
import type { Approver } from './approver.ts';
import { resultText } from './result-text.ts';
import { ServerQuestions } from './server-questions.ts';
import type { SessionTool } from './session-tool.ts';

export interface SessionToolsParts {
  readonly fleet: Fleet;
  readonly service: ToolService;
  readonly caller: Caller;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** True when the person has allowed this very call. */
  readonly allowed: boolean;
  /** True: an approval that was given in advance does not count. */
  readonly unusual: boolean;
  /** Answers what is asked during the call. */
  readonly approver: Approver;
  readonly onProgress?: (message: string) => void;
}

/** What came of a call. A failure is a result like any other. */
export interface ToolOutcome {
  readonly text: string;
  readonly failed: boolean;
  /** The finer code of a failure, where it has one. */
  readonly code?: string | undefined;
}

const PROGRESS_TOKEN = 'session';

/** The tools of the orchestrator and of the fleet itself, for the session's own principal. */
export class SessionTools {
  readonly #parts: SessionToolsParts;

  constructor(parts: SessionToolsParts) {
    this.#parts = parts;
  }

  list(): readonly SessionTool[] {
    const { service, caller } = this.#parts;
    const own = OPERATIONS.filter((operation) => this.#isListed(operation)).map((operation) =>
      this.#ofOperation(operation),
    );
    return [...own, ...service.offers.for(caller).map((tool) => this.#ofOffer(tool))];
  }

  /** A tool by its name; also an operation that is not listed. */
  find(name: string): SessionTool | undefined {
    const operation = findOperation(name);
    if (operation !== undefined && this.#isAllowed(operation)) return this.#ofOperation(operation);
    return this.list().find((tool) => tool.name === name);
  }

  /** Never throws but when it is aborted. */
  async call(name: string, args: JsonObject, options: CallOptions): Promise<ToolOutcome> {
    try {
      const { relay } = this.#parts.service;
      if (relay.knows(name)) return await this.#relayed(name, args, options);
      return { text: JSON.stringify(await this.#invoked(name, args, options)), failed: false };
    } catch (thrown) {
      options.signal.throwIfAborted();
      if (thrown instanceof RpcError) return { text: thrown.message, failed: true };
      const error = toFleetError(thrown);
      return {
        text: JSON.stringify(error.toBody()),
        failed: true,
        code: error.details.reason ?? error.code,
      };
    }
  }

  /** A read-only operation of the fleet, for what a question to the person shows. */
  async look(name: string, input: JsonObject, signal: AbortSignal): Promise<JsonObject | undefined> {
    const operation = findOperation(name);
    if (operation?.hints.readOnly !== true) return undefined;
    const { fleet, caller } = this.#parts;
    return { ...(await invoke(operation, input, { fleet, caller, signal })) };
  }

  async #invoked(name: string, args: JsonObject, { signal, onProgress }: CallOptions): Promise<object> {
    const { fleet, caller, service } = this.#parts;
    const operation = findOperation(name);
    if (operation !== undefined && this.#isAllowed(operation)) {
      return invoke(operation, args, {
        fleet,
        caller,
        signal,
        ...(onProgress === undefined ? {} : { progress: onProgress }),
      });
    }
    throw service.relay.refused({ name, arguments: args }, caller, this.#notFound(name));
  }

  async #relayed(name: string, args: JsonObject, options: CallOptions): Promise<ToolOutcome> {
    const { caller, service } = this.#parts;
    const { signal, onProgress } = options;
    using questions = new ServerQuestions({ tool: name, arguments: args, ...options });
    const client: RelayClient = {
      caller,
      era: 'legacy',
      capabilities: { elicitation: { form: {}, url: {} } },
      signal,
      tell: (method, { message }) => {
        if (method === 'notifications/progress' && typeof message === 'string') onProgress?.(message);
      },
      ask: (method, params, asking) => questions.ask(method, params, AbortSignal.any([asking, signal])),
    };
    const params = { name, arguments: args, _meta: { progressToken: PROGRESS_TOKEN } };
    return this.#outcomeOf(await service.relay.call(params, client), questions.notes);
  }

  #outcomeOf(result: JsonObject, notes: readonly string[]): ToolOutcome {
    const failed = result['isError'] === true;
    const meta = isObject(result['_meta']) ? result['_meta']['fleet-mcp/error'] : undefined;
    const details = isObject(meta) && isObject(meta['details']) ? meta['details'] : {};
    const code = details['reason'] ?? (isObject(meta) ? meta['code'] : undefined);
    return {
      text: [resultText(result), ...notes].join('\n'),
      failed,
      ...(typeof code === 'string' ? { code } : {}),
    };
  }

  #isAllowed({ name, scopes, hints }: Operation): boolean {
    const { caller, service } = this.#parts;
    return (
      scopes.some((scope) => scope !== 'self' && caller.scopes.has(scope)) &&
      service.offers.showsOwn({ name, readOnly: hints.readOnly }, caller)
    );
  }

  #isListed(operation: Operation): boolean {
    const { views } = this.#parts.caller;
    return this.#isAllowed(operation) && (operation.on_request !== true || views !== undefined);
  }

  #ofOperation(operation: Operation): SessionTool {
    const { name, description, hints } = operation;
    return {
      name,
      description,
      parameters: schemasOf(operation).input,
      server: OWN_SERVER,
      destructive: hints.destructive,
      gated: this.#parts.service.orchestrator.offeredNow(name)?.gated ?? false,
    };
  }

  #ofOffer({ name, description, title, inputSchema, annotations }: JsonObject): SessionTool {
    const offered = this.#parts.service.orchestrator.offeredNow(String(name));
    return {
      name: String(name),
      description: String(description ?? title ?? ''),
      parameters: isObject(inputSchema) ? inputSchema : { type: 'object' },
      server: offered?.server ?? '',
      destructive: isObject(annotations) && annotations['destructiveHint'] === true,
      gated: offered?.gated ?? false,
    };
  }

  #notFound(name: string): FleetError {
    const names = this.list().map((tool) => tool.name);
    const hint = nearest(name, names);
    const meant = hint === undefined ? `There are: ${names.join(', ')}.` : `Did you mean "${hint}"?`;
    return new FleetError('NOT_FOUND', `There is no tool "${name}". ${meant}`, { reason: 'TOOL_NOT_FOUND' });
  }
}
