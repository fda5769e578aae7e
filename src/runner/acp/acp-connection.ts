import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Question } from '../../domain/approvals/approval.ts';
import { signalRun, sweepRun } from '../../platform/processes/process-tree.ts';
import type { DriverContext } from '../programs/driver.ts';
import { LineSplitter } from '../programs/lines.ts';
import { startProgram } from '../programs/start-program.ts';
import {
  elicitedAnswer,
  elicitedQuestion,
  noteText,
  permissionOutcome,
  permissionQuestion,
} from './acp-question.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import { methodNotFound, RpcError } from '../../wire/rpc-error.ts';
import { RpcPeer } from '../../wire/rpc-peer.ts';
import { StreamChannel } from '../../wire/stream-channel.ts';
import { noAcp } from './no-acp.ts';

const START_LIMIT_MS = 60_000;
const END_STEP_MS = 1_000;
const COMPLAINT_LIMIT = 20;
const LAST_WORDS_MS = 100;
const PROTOCOL_VERSION = 1;

export interface ConnectionParts {
  readonly context: DriverContext;
  /** Ends the questions that are open. */
  readonly signal: () => AbortSignal;
  onUpdate(update: JsonObject): void;
  /** What was said beside an answer, for which the answer itself has no place. */
  onNote(text: string): void;
}

/** A running agent that speaks ACP: its process, and the wire to it. */
export class AcpConnection implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #peer: RpcPeer;
  readonly #channel: StreamChannel;
  readonly #parts: ConnectionParts;
  readonly #gone: Promise<unknown>;
  /** What it said on stderr last: of use only when it ends by itself, and no part of the conversation. */
  readonly #complaints: string[] = [];
  #ending = false;
  capabilities: JsonObject = {};
  /** Whether the agent receives messages in the middle of a turn. */
  steers = false;

  private constructor(parts: ConnectionParts) {
    const { launch, directory, env, cell, sink } = parts.context;
    this.#parts = parts;
    this.#child = startProgram({
      command: launch.command,
      directory,
      env,
      cell,
      marker: launch.workspace_id,
    });
    const errors = new LineSplitter((line) => {
      this.#complaints.push(line);
      if (this.#complaints.length > COMPLAINT_LIMIT) this.#complaints.shift();
    });
    this.#child.stderr.on('data', (chunk: Buffer) => errors.write(chunk));
    this.#channel = channelOf(this.#child, (line) => sink.log('DEBUG', 'system', line));
    this.#peer = new RpcPeer(this.#channel, {
      onRequest: ({ method, params }) => this.#answer(method, params),
      onNotification: ({ method, params }) => this.#hear(method, params),
      onClose: () => {},
      takesNull: true,
    });
    this.#gone = this.#end(errors);
  }

  /** Starts the agent's process; answers when it has said what it can do. */
  static async open(parts: ConnectionParts): Promise<AcpConnection> {
    const connection = new AcpConnection(parts);
    try {
      await connection.#initialize();
      return connection;
    } catch (thrown) {
      await connection[Symbol.asyncDispose]();
      throw noAcp(thrown, parts.context.launch.command, connection.#complaints);
    }
  }

  request(method: string, params: JsonObject): Promise<JsonObject> {
    return this.#peer.ask(method, params);
  }

  notify(method: string, params: JsonObject): void {
    this.#peer.tell(method, params);
  }

  /** Ends the process and all that it started, politely first. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { workspace_id } = this.#parts.context.launch;
    this.#ending = true;
    this.#child.stdin.end();
    for (const step of ['SIGTERM', 'SIGKILL'] as const) {
      if (await this.#isGoneWithin(END_STEP_MS)) break;
      signalRun(workspace_id, step);
    }
    await sweepRun(workspace_id);
    await this.#gone;
  }

  /** What it complained of is told when nobody ended it. */
  async #end(errors: LineSplitter): Promise<void> {
    const { stderr } = this.#child;
    try {
      const [code, signal] = (await once(this.#child, 'exit')) as [number | null, string | null];
      if (!stderr.readableEnded) await Promise.race([once(stderr, 'end'), delay(LAST_WORDS_MS)]);
      errors.end();
      if (!this.#ending)
        for (const line of this.#complaints) this.#parts.context.sink.log('WARN', 'system', line);
      this.#channel.end(`it ended with ${String(code ?? signal)}`);
    } catch (thrown) {
      this.#channel.end(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  async #isGoneWithin(ms: number): Promise<boolean> {
    return await Promise.race([this.#gone.then(() => true), delay(ms, false, { ref: false })]);
  }

  async #initialize(): Promise<void> {
    const answer = await Promise.race([
      this.#peer.ask('initialize', {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: { elicitation: { form: {} } },
        clientInfo: { name: 'fleet', version: '1' },
      }),
      delay(START_LIMIT_MS, undefined, { ref: false }),
    ]);
    if (!isObject(answer)) throw new Error(`the agent did not answer within ${START_LIMIT_MS / 1000} s`);
    if (answer['protocolVersion'] !== PROTOCOL_VERSION) {
      throw new Error(
        `the agent speaks ACP ${String(answer['protocolVersion'])}, and Fleet ${PROTOCOL_VERSION}`,
      );
    }
    const steering = isObject(answer['_meta']) ? answer['_meta']['steering'] : undefined;
    this.steers = isObject(steering) && steering['supported'] === true;
    this.capabilities = isObject(answer['agentCapabilities']) ? answer['agentCapabilities'] : {};
  }

  async #answer(method: string, params: JsonObject): Promise<JsonObject> {
    switch (method) {
      case 'session/request_permission':
        return this.#permission(permissionQuestion(params));
      case 'elicitation/create':
        if (params['mode'] !== 'form') throw new RpcError(-32_602, 'Only forms are supported.');
        return this.#question(elicitedQuestion(params));
      default:
        throw methodNotFound(method);
    }
  }

  async #question(question: Question): Promise<JsonObject> {
    const { context, signal } = this.#parts;
    return elicitedAnswer(question, await context.ask(question, signal()));
  }

  async #permission(question: Question): Promise<JsonObject> {
    const { context, signal } = this.#parts;
    const reply = await context.ask(question, signal());
    if (reply.decision !== 'gone' && reply.note !== null)
      this.#parts.onNote(noteText(question, reply.decision, reply.note));
    return permissionOutcome(question, reply);
  }

  #hear(method: string, { update }: JsonObject): void {
    if (method === 'session/update' && isObject(update)) this.#parts.onUpdate(update);
  }
}

function channelOf({ stdin, stdout }: ChildProcessWithoutNullStreams, onNoise: (line: string) => void) {
  const channel = new StreamChannel({ input: stdout, output: stdin, onNoise });
  stdout.on('close', () => channel.end('its output ended'));
  stdin.on('error', () => channel.end('it does not listen any more'));
  return channel;
}
