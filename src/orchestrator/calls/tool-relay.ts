import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { checkDepth } from '../../domain/values/check-depth.ts';
import { FleetError, quote, toFleetError } from '../../domain/values/errors.ts';
import type { Caller } from '../../domain/principal.ts';
import { OWN_SERVER } from '../../domain/values/view.ts';
import { agentError } from '../servers/agent-error.ts';
import { isObject, metaOf, type JsonObject } from '../../wire/json-rpc.ts';
import type { Orchestrator } from '../orchestrator.ts';
import { RpcError } from '../../wire/rpc-error.ts';
import { isLoud } from '../upstream/upstream-news.ts';
import { answersTo } from './answers-to.ts';
import type { ApprovalRequester } from './approval-requester.ts';
import { HeldCalls } from './held-calls.ts';
import type { LinkedResources } from './linked-resources.ts';
import { failure } from './mcp-failure.ts';
import { nameAsker, nameAskerIn } from './name-asker.ts';
import { INVALID_PARAMS, paramsProblem } from './params-problem.ts';
import type { RelayClient } from './relay-client.ts';
import { forClient, forUpstream } from './relay-envelope.ts';
import { reportDefect } from '../../platform/report-defect.ts';
import type { ToolCall } from '../tool-agents/tool-agent.ts';
import type { ToolAudit } from './tool-audit.ts';
import { isSearchTool, searchTools } from './tool-search.ts';
import type { ToolSpan, ToolTraces } from './tool-traces.ts';
import type { OfferedTools } from './offered-tools.ts';

export interface ToolRelayParts {
  readonly orchestrator: Orchestrator;
  readonly offers: OfferedTools;
  readonly links: LinkedResources;
  readonly requester: ApprovalRequester;
  readonly audit?: ToolAudit | undefined;
  readonly traces?: ToolTraces | undefined;
}

/** A server of the new era may ask again after each answer; one that never stops is ended. */
const MOST_ROUNDS = 100;
const PROGRESS_SETTLE_MS = 5;

interface SentCall {
  /** The server that has the tool. */
  readonly server: string;
  readonly correlation_id: string;
  readonly client: RelayClient;
}

/** Passes calls of upstream tools on and their answers back, whole, whatever era either side is of. */
export class ToolRelay {
  readonly #parts: ToolRelayParts;
  readonly #held = new HeldCalls();

  constructor(parts: ToolRelayParts) {
    this.#parts = parts;
  }

  /** True for the name of a tool that a server has, or may have once it is awake, and of a module that failed to load. */
  knows(name: string): boolean {
    const { orchestrator, offers } = this.#parts;
    if (isSearchTool(name)) return offers.searches();
    const offered = orchestrator.offeredNow(name);
    // The fleet's own operations are answered by its own server, unless a person is asked first.
    if (offered !== undefined) return offered.server !== OWN_SERVER || offered.gated;
    if (orchestrator.failureOf(name) !== undefined) return true;
    return orchestrator.mcpManager.connections().some(({ serverName }) => name.startsWith(`${serverName}__`));
  }

  /** The result for the client; an error of the upstream's own protocol is thrown as it came. */
  async call(given: JsonObject, client: RelayClient): Promise<JsonObject> {
    const params = checkedParams(given);
    try {
      checkDepth(params, `The call of ${quote(params['name'])}`);
      const held = this.#held.resume(params, client);
      return forClient(await (held ?? this.#enter(params, client)), client);
    } catch (thrown) {
      if (thrown instanceof RpcError) throw thrown;
      if (client.signal.aborted) return forClient(failure(canceled(thrown)), client);
      return forClient({ ...failure(reportDefect(thrown, String(params['name']))) }, client);
    }
  }

  /** A call of a tool that nobody has is written down as any other. */
  refused(params: JsonObject, caller: Caller, error: FleetError): FleetError {
    const correlation_id = correlationOf(params) ?? randomUUID();
    this.#parts.audit?.begin({ params, caller, correlation_id })(error.code);
    return withCorrelation(error, correlation_id);
  }

  /** A call by the tools of the search is one of the tool that it names. */
  #enter(params: JsonObject, client: RelayClient): JsonObject | Promise<JsonObject> {
    const { offers } = this.#parts;
    if (!offers.searches() || !isSearchTool(String(params['name']))) return this.#run(params, client);
    const search = searchTools(params, offers.for(client.caller));
    return 'call' in search ? this.#run(search.call, client) : search.answer;
  }

  /** The steps of a call: audit, check, gate, measure, send. */
  async #run(params: JsonObject, client: RelayClient): Promise<JsonObject> {
    const { orchestrator, offers, requester, audit, traces } = this.#parts;
    const { caller, signal } = client;
    const name = String(params['name']);
    const correlation_id = correlationOf(params) ?? randomUUID();
    const record = audit?.begin({ params, caller, correlation_id });
    let span: ToolSpan | undefined;
    try {
      const found = orchestrator.offeredNow(name) ?? (await orchestrator.find(name, signal));
      const { server, gated } = offers.checked(name, found, caller);
      const permit = await requester.check(params, client, gated);
      // The client calls again with the answer: that call is the one in the audit log.
      if ('question' in permit) return permit.question;
      span = traces?.begin(permit.params, { server, tool: name });
      const sent = await this.#send(span?.params ?? permit.params, { server, correlation_id, client });
      const result = permit.carry(sent);
      const isError = result['isError'] === true;
      span?.end(isError ? 'tool_error' : undefined);
      record?.(isError ? 'failed' : 'ok');
      return result;
    } catch (thrown) {
      span?.end(thrown instanceof FleetError ? (thrown.details.reason ?? thrown.code) : 'rpc_error');
      record?.(signal.aborted ? 'canceled' : outcomeOf(thrown));
      throw withCorrelation(thrown, correlation_id);
    }
  }

  /** Sends a call upstream, and again with each answer to a question that the client cannot take as a result. */
  async #send(params: JsonObject, { server, correlation_id, client }: SentCall): Promise<JsonObject> {
    const { orchestrator, links } = this.#parts;
    const { caller } = client;
    const name = String(params['name']);
    const token = metaOf(params)['progressToken'];
    let told_at = Number.NEGATIVE_INFINITY;
    const onProgress = (told: JsonObject): void => {
      told_at = performance.now();
      client.tell('notifications/progress', { ...told, progressToken: token });
    };
    const progress = token === undefined ? {} : { onProgress };
    const once = async (given: JsonObject, signal: AbortSignal, ask: RelayClient['ask']) => {
      const onQuestion: RelayClient['ask'] =
        ask && ((method, question, asking) => ask(method, nameAsker(server, method, question), asking));
      const result = await orchestrator.call(name, forUpstream(given, client), {
        caller,
        correlation_id,
        signal,
        ...progress,
        ...logging(client),
        ...(onQuestion === undefined ? {} : { onQuestion }),
      });
      links.note(caller, server, result);
      return nameAskerIn(server, result);
    };
    const result =
      client.era === 'modern'
        ? await this.#held.run(client, (signal, ask) => once(params, signal, ask))
        : await untilComplete(params, client, (given) => once(given, client.signal, client.ask));
    // A client may drop a progress notification that the result follows at once.
    if (performance.now() - told_at < PROGRESS_SETTLE_MS) await delay(PROGRESS_SETTLE_MS);
    return result;
  }
}

/** Asks a client of the old era what a server of the new one asks by its results. */
async function untilComplete(
  params: JsonObject,
  client: RelayClient,
  once: (given: JsonObject) => Promise<JsonObject>,
): Promise<JsonObject> {
  let result = await once(params);
  for (let round = 0; result['resultType'] === 'input_required'; round++) {
    if (round === MOST_ROUNDS) throw askedTooOften(String(params['name']));
    const inputResponses = await answersTo(result['inputRequests'], client);
    const { requestState } = result;
    result = await once({
      ...params,
      inputResponses,
      ...(requestState === undefined ? {} : { requestState }),
    });
  }
  return result;
}

/** A null for the arguments means that there are none. */
function checkedParams(params: JsonObject): JsonObject {
  const { arguments: args } = params;
  if (args === null) return { ...params, arguments: {} };
  if (args === undefined || isObject(args)) return params;
  const problem = paramsProblem('tools/call', params);
  throw new RpcError(INVALID_PARAMS, problem ?? 'The arguments of a call must be an object.');
}

function logging({ logLevel, tell }: RelayClient): Pick<ToolCall, 'onLog'> {
  if (logLevel === undefined) return {};
  return {
    onLog: (log) => {
      if (isLoud(log, logLevel)) tell('notifications/message', log);
    },
  };
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
  // Data that is not an object is the server's own, and has no room for it.
  if (data !== undefined && !isObject(data)) return thrown;
  return new RpcError(code, message, { correlation_id, ...data });
}

function askedTooOften(tool: string): FleetError {
  return agentError('INVALID_RESPONSE', `${tool} asked its user ${MOST_ROUNDS} times and did not finish.`, {
    tool,
  });
}

/** Nobody reads this: the client that canceled has stopped listening. */
function canceled(cause: unknown): FleetError {
  return new FleetError('CONFLICT', 'The client canceled this call.', { reason: 'canceled' }, cause);
}
