import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { FleetError, toFleetError } from '../domain/errors.ts';
import type { Caller } from '../domain/principal.ts';
import { OWN_SERVER } from '../domain/view.ts';
import { CONTRACT_VERSION } from '../platform/package.ts';
import { isObject, metaOf, type JsonObject } from '../orchestrator/json-rpc.ts';
import type { Orchestrator } from '../orchestrator/orchestrator.ts';
import { CAPABILITIES_META, LOG_LEVEL_META, SERVER_META } from '../orchestrator/protocol.ts';
import { RpcError } from '../orchestrator/rpc-error.ts';
import type { ApprovalDesk } from './approval-desk.ts';
import { HeldCalls } from './held-calls.ts';
import { failure } from './mcp-failure.ts';
import { canAnswer, type RelayClient } from './relay-client.ts';
import { reportDefect } from './report-defect.ts';
import type { ToolCall } from '../orchestrator/tool-agent.ts';
import type { ToolAudit } from './tool-audit.ts';
import { isSearchTool, searchTools } from './tool-search.ts';
import type { ToolTraces } from './tool-traces.ts';
import { isLoud } from './upstream-following.ts';
import type { OfferedTools } from './offered-tools.ts';

export interface ToolRelayParts {
  readonly orchestrator: Orchestrator;
  readonly offers: OfferedTools;
  readonly desk?: ApprovalDesk | undefined;
  readonly audit?: ToolAudit | undefined;
  readonly traces?: ToolTraces | undefined;
}

/** A server of the new era may ask again after each answer; one that never has enough is ended. */
const MOST_ROUNDS = 8;
const PROGRESS_SETTLE_MS = 5;
const SERVER_INFO = { name: 'fleet-mcp', title: 'Fleet', version: CONTRACT_VERSION };

interface Checked {
  readonly result: JsonObject;
  /** The desk asks its client, who calls again with the answer. */
  readonly isQuestion: boolean;
}

/** Passes calls of upstream tools on and their answers back, whole, whatever era either side is of. */
export class ToolRelay {
  readonly #parts: ToolRelayParts;
  readonly #held = new HeldCalls();

  constructor(parts: ToolRelayParts) {
    this.#parts = parts;
  }

  /** True for the name of a tool that a server has, or may have once it is awake. */
  knows(name: string): boolean {
    const { orchestrator, offers } = this.#parts;
    if (isSearchTool(name)) return offers.searches();
    const offered = orchestrator.offeredNow(name);
    // The fleet's own operations are answered by its own server, unless a person is asked first.
    if (offered !== undefined) return offered.server !== OWN_SERVER || offered.gated;
    return orchestrator.mcpManager.connections().some(({ serverName }) => name.startsWith(`${serverName}__`));
  }

  /** The result for the client; an error of the upstream's own protocol is thrown as it came. */
  async call(params: JsonObject, client: RelayClient): Promise<JsonObject> {
    try {
      const held = this.#held.resume(params, client);
      return forClient(await (held ?? this.#enter(params, client)), client);
    } catch (thrown) {
      if (thrown instanceof RpcError) throw thrown;
      if (client.signal.aborted) return forClient(failure(canceled(thrown)), client);
      return forClient({ ...failure(reportDefect(thrown, String(params['name']))) }, client);
    }
  }

  /** A call by the tools of the search is one of the tool that it names. */
  async #enter(params: JsonObject, client: RelayClient): Promise<JsonObject> {
    const { offers } = this.#parts;
    if (!offers.searches() || !isSearchTool(String(params['name']))) return this.#start(params, client);
    const search = searchTools(params, offers.for(client.caller));
    return 'call' in search ? this.#start(search.call, client) : search.answer;
  }

  /** A call of a tool that nobody has is written down as any other. */
  refused(params: JsonObject, caller: Caller, error: FleetError): FleetError {
    const correlation_id = correlationOf(params) ?? randomUUID();
    this.#parts.audit?.begin({ params, caller, correlation_id })(error.code);
    return withCorrelation(error, correlation_id);
  }

  async #start(params: JsonObject, client: RelayClient): Promise<JsonObject> {
    const { caller } = client;
    const correlation_id = correlationOf(params) ?? randomUUID();
    const end = this.#parts.audit?.begin({ params, caller, correlation_id });
    try {
      const { result, isQuestion } = await this.#checked(params, client, correlation_id);
      if (!isQuestion) end?.(result['isError'] === true ? 'failed' : 'ok');
      return result;
    } catch (thrown) {
      end?.(client.signal.aborted ? 'canceled' : outcomeOf(thrown));
      throw withCorrelation(thrown, correlation_id);
    }
  }

  async #checked(params: JsonObject, client: RelayClient, correlation_id: string): Promise<Checked> {
    const { orchestrator, offers, desk, traces } = this.#parts;
    const name = String(params['name']);
    const { caller, signal } = client;
    const found = orchestrator.offeredNow(name) ?? (await orchestrator.find(name, signal));
    const offered = offers.checked(name, found, caller);
    if (offered.gated) {
      const question = await requireDesk(desk).check(params, client);
      if (question !== undefined) return { result: question, isQuestion: true };
    }
    const span = traces?.begin(params, { server: offered.server, tool: name });
    try {
      const result = await this.#relay(span?.params ?? params, client, correlation_id);
      span?.end(result['isError'] === true ? 'tool_error' : undefined);
      return { result, isQuestion: false };
    } catch (thrown) {
      span?.end(thrown instanceof FleetError ? (thrown.details.reason ?? thrown.code) : 'rpc_error');
      throw thrown;
    }
  }

  async #relay(params: JsonObject, client: RelayClient, correlation_id: string): Promise<JsonObject> {
    const { orchestrator } = this.#parts;
    const { caller } = client;
    const token = metaOf(params)['progressToken'];
    let told_at = Number.NEGATIVE_INFINITY;
    const onProgress = (told: JsonObject): void => {
      told_at = performance.now();
      client.tell('notifications/progress', { ...told, progressToken: token });
    };
    const progress = token === undefined ? {} : { onProgress };
    const run = (
      signal: AbortSignal,
      onQuestion: RelayClient['ask'],
      given: JsonObject,
    ): Promise<JsonObject> =>
      orchestrator.call(String(params['name']), forUpstream(given, client), {
        caller,
        correlation_id,
        signal,
        ...progress,
        ...logging(client),
        ...(onQuestion === undefined ? {} : { onQuestion }),
      });
    if (client.era === 'modern') {
      const answer = await this.#held.run(client, (signal, ask) => run(signal, ask, params));
      await settle(told_at);
      return answer;
    }
    let result = await run(client.signal, client.ask, params);
    for (let round = 0; result['resultType'] === 'input_required' && round < MOST_ROUNDS; round++) {
      const inputResponses = await answersTo(result['inputRequests'], client);
      const { requestState } = result;
      const given = { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
      result = await run(client.signal, client.ask, given);
    }
    await settle(told_at);
    return result;
  }
}

function logging({ logLevel, tell }: RelayClient): Pick<ToolCall, 'onLog'> {
  if (logLevel === undefined) return {};
  return {
    onLog: (log) => {
      if (isLoud(log, logLevel)) tell('notifications/message', log);
    },
  };
}

/** A client may drop a progress notification that the result follows at once. */
async function settle(told_at: number): Promise<void> {
  if (performance.now() - told_at < PROGRESS_SETTLE_MS) await delay(PROGRESS_SETTLE_MS);
}

/** Puts the questions of a server of the new era to a client of the old one. */
async function answersTo(requests: unknown, client: RelayClient): Promise<JsonObject> {
  const answers: Record<string, unknown> = {};
  for (const [key, request] of Object.entries(isObject(requests) ? requests : {})) {
    if (!isObject(request)) continue;
    const params = isObject(request['params']) ? request['params'] : {};
    const method = String(request['method']);
    if (client.ask === undefined || !canAnswer(client, method)) {
      throw new FleetError('FORBIDDEN', `The tool asks ${method}, and this client cannot be asked that.`, {
        reason: 'cannot_be_asked',
      });
    }
    answers[key] = await client.ask(method, params, client.signal);
  }
  return answers;
}

/** What the client said of itself in the new era is for us; its progress is told under a token of ours. */
function forUpstream(params: JsonObject, { capabilities, era, logLevel }: RelayClient): JsonObject {
  const said = metaOf(params);
  const meta: Record<string, unknown> = {};
  for (const key of Object.keys(said)) {
    if (key === LOG_LEVEL_META || (key !== 'progressToken' && !key.startsWith('io.modelcontextprotocol/')))
      meta[key] = said[key];
  }
  // A client of the old era said once for all what one of the new era says with each call.
  meta[CAPABILITIES_META] = capabilities;
  if (era !== 'modern' && logLevel !== undefined) meta[LOG_LEVEL_META] = logLevel;
  return { ...params, _meta: meta };
}

/** An answer says who gave it; here that is the fleet. */
function forClient(result: JsonObject, { era }: RelayClient): JsonObject {
  if (era === 'modern') {
    const meta = { ...metaOf(result), [SERVER_META]: SERVER_INFO };
    return { resultType: 'complete', ...result, _meta: meta };
  }
  const { resultType: _type, ...rest } = result;
  const meta = metaOf(rest);
  if (meta[SERVER_META] === undefined) return rest;
  const { [SERVER_META]: _server, ...others } = meta;
  return { ...rest, _meta: others };
}

/** A call that is part of a trace has the trace's id. */
function correlationOf(params: JsonObject): string | undefined {
  const { traceparent } = metaOf(params);
  return typeof traceparent === 'string' ? traceparent.split('-')[1] : undefined;
}

function outcomeOf(thrown: unknown): string {
  return thrown instanceof RpcError ? 'failed' : toFleetError(thrown).code;
}

/** A failure says which call it was, by the id that the audit log has. */
function withCorrelation(thrown: FleetError, correlation_id: string): FleetError;
function withCorrelation(thrown: unknown, correlation_id: string): unknown;
function withCorrelation(thrown: unknown, correlation_id: string): unknown {
  if (thrown instanceof FleetError) {
    const { code, message, details } = thrown;
    return new FleetError(code, message, { ...details, correlation_id }, thrown);
  }
  if (!(thrown instanceof RpcError)) return thrown;
  const { code, message, data } = thrown;
  // Data that is no object is the server's own, and has no room for it.
  if (data !== undefined && !isObject(data)) return thrown;
  return new RpcError(code, message, { correlation_id, ...data });
}

function requireDesk(desk: ApprovalDesk | undefined): ApprovalDesk {
  if (desk !== undefined) return desk;
  throw new FleetError(
    'APPROVAL_REQUIRED',
    'A person must allow this call, and nobody can be asked from here.',
  );
}

/** Nobody reads this: the client that canceled has stopped listening. */
function canceled(cause: unknown): FleetError {
  return new FleetError('CONFLICT', 'The client canceled this call.', { reason: 'canceled' }, cause);
}
