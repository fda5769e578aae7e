import { z } from 'zod';
import { FleetError } from '../../../domain/values/errors.ts';
import { appOf, type ProxyTarget } from '../connection/app-proxy.ts';
import { send, SendFailure, type Incoming } from '../client/send.ts';
import type { CoderContext } from '../model/coder-context.ts';
import { Garbled, proxiedJson, RunnerAway } from '../connection/proxied-json.ts';

const messageSchema = z.object({
  id: z.int(),
  role: z.string(),
  content: z.string(),
  time: z.string(),
});
const messagesSchema = z.object({
  messages: z
    .array(messageSchema)
    .nullish()
    .transform((messages) => messages ?? []),
});
const statusSchema = z.object({ status: z.string() });
const takenSchema = z.object({ ok: z.literal(true) });
const problemSchema = z.object({
  errors: z.array(z.object({ message: z.string().default('') })).nullish(),
});

export type Message = z.output<typeof messageSchema>;

/** What became of a message: unknown means that nobody can say but the messages themselves. */
export type Outcome = 'taken' | 'busy' | 'unknown';

/** What interrupts an agent in a terminal. Ctrl-C would end it. */
const ESCAPE = '\u001b';
/** It answers nobody while it types, which may take 17 s. */
const LOOK_LIMIT_MS = 20_000;
/** Releases up to 0.12 may never answer. */
const SAY_LIMIT_MS = 30_000;
const TRIES = 3;
const WAIT_MS = 150;

/** AgentAPI in a workspace, through Coder's app proxy. */
export class AgentApi {
  readonly #context: CoderContext;
  readonly #target: ProxyTarget;
  readonly #app: string;

  constructor(context: CoderContext, target: ProxyTarget, app: string) {
    this.#context = context;
    this.#target = target;
    this.#app = app;
  }

  /** False while the agent works, and while it starts. */
  async isStable(): Promise<boolean> {
    return statusSchema.parse(await this.#look('status')).status === 'stable';
  }

  /** All that was said, oldest first. The last one may still be changing. */
  async messages(): Promise<readonly Message[]> {
    return messagesSchema.parse(await this.#look('messages')).messages;
  }

  /** Types a message for the agent, once. */
  async say(content: string): Promise<Outcome> {
    try {
      const incoming = await this.#send('message', { content, type: 'user' }, SAY_LIMIT_MS);
      const json = proxiedJson(incoming, this.#context.client.server);
      if (takenSchema.safeParse(json).success) return 'taken';
      return isBusy(json) ? 'busy' : 'unknown';
    } catch (thrown) {
      if (isLost(thrown) || thrown instanceof RunnerAway) return 'unknown';
      throw thrown;
    }
  }

  async interrupt(): Promise<void> {
    const incoming = await this.#send('message', { content: ESCAPE, type: 'raw' }, LOOK_LIMIT_MS);
    proxiedJson(incoming, this.#context.client.server);
  }

  async #look(path: string): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        const incoming = await this.#send(path, undefined, LOOK_LIMIT_MS);
        const json = proxiedJson(incoming, this.#context.client.server);
        if (incoming.status === 200) return json;
        throw new Garbled(`status ${incoming.status}`);
      } catch (thrown) {
        if (!isLost(thrown)) throw thrown;
        if (attempt === TRIES) throw silent(thrown.message);
        await this.#context.client.pace.wait(WAIT_MS * attempt);
      }
    }
  }

  #send(path: string, body: object | undefined, timeout_ms: number): Promise<Incoming> {
    const { base, cookie } = appOf(this.#context, this.#target, this.#app);
    return send(new URL(path, base), {
      method: body === undefined ? 'GET' : 'POST',
      headers: { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeout_ms,
    });
  }
}

function isLost(thrown: unknown): thrown is Error {
  return thrown instanceof SendFailure || thrown instanceof Garbled;
}

/** It says so in words alone. */
function isBusy(json: unknown): boolean {
  const errors = problemSchema.safeParse(json).data?.errors ?? [];
  return errors.some(({ message }) => message.includes('waiting for user input'));
}

function silent(why: string): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    `AgentAPI in the workspace cannot be reached (${why}). Try again.`,
    { reason: 'runner_unreachable' },
  );
}
