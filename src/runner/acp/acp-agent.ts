import { setTimeout as delay } from 'node:timers/promises';
import { excessOf, type BudgetUse } from '../../domain/budget.ts';
import type { DriverContext, DriverSession, DriverTask, TaskOutcome } from '../programs/driver.ts';
import { stepOf } from '../programs/interruption.ts';
import { AcpConnection } from './acp-connection.ts';
import { openSession } from './acp-session.ts';
import { troubleOf, type Trouble } from './acp-trouble.ts';
import { Budget } from './budget.ts';
import { Conversation } from './conversation.ts';
import { isObject } from '../../wire/json-rpc.ts';
import { againText, goOnText, RETRY_RULE, waitBefore } from './retry-rule.ts';
import { systemPrompt, takesSystemPrompt } from './session-options.ts';
import { watchSilence } from './watch-silence.ts';

/** An agent that speaks ACP, with one session for its life: what becomes of its process does not end the session. */
export class AcpAgent implements DriverSession {
  readonly #context: DriverContext;
  readonly #conversation: Conversation;
  #connection: AcpConnection | undefined;
  #session: string | null;
  /** False until a task was told in the session that is open. */
  #told = false;
  /** What the next prompt begins with. */
  #introduction = '';
  #replaying = false;
  #turn = new AbortController();

  private constructor(context: DriverContext) {
    this.#context = context;
    this.#session = context.session;
    this.#conversation = new Conversation(context.sink);
  }

  static async open(context: DriverContext): Promise<AcpAgent> {
    const agent = new AcpAgent(context);
    await agent.#open();
    return agent;
  }

  async run(task: DriverTask, signal: AbortSignal): Promise<TaskOutcome> {
    const limits = this.#context.launch.budget ?? {};
    const used = (): BudgetUse => this.#used();
    using budget = new Budget(limits, used);
    this.#conversation.takeLastMessage();
    const outcome = await this.#runWithin(budget, task, signal);
    const over = excessOf(limits, used()) === undefined ? {} : { over_budget: used() };
    return { ...outcome, ...over, output: this.#conversation.takeLastMessage() };
  }

  async #runWithin(budget: Budget, task: DriverTask, signal: AbortSignal): Promise<TaskOutcome> {
    const limits = AbortSignal.any([signal, budget.signal]);
    let text = task.resumed ? goOnText('the process beside you died', task.message) : task.message;
    this.#told = task.resumed;
    for (let attempt = 1; ; attempt++) {
      await this.#context.account.free(limits);
      const trouble = await this.#tryTurn(this.#told ? text : task.message, limits);
      const exceeded = budget.check();
      if (exceeded !== undefined) return failed(exceeded);
      if (trouble === undefined) return { state: 'complete', reason: 'the agent ended its turn' };
      if (signal.aborted) return failed('interrupted');
      const wait = this.#waitFor(trouble, attempt);
      if (wait === undefined) return outcomeOf(trouble);
      await this.#pause(task, trouble, { attempt, wait, signal: limits });
      text = againText(trouble, task.message);
    }
  }

  /** What the task has used, with what the running turn has reported so far. */
  #used(): BudgetUse {
    const { tokens, cost } = this.#context.spent();
    return { tokens: tokens + this.#conversation.tokensOfTurn, cost };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  /** The process and the session, opened when they are not. */
  async #open(): Promise<AcpConnection> {
    if (this.#connection !== undefined) return this.#connection;
    const { context } = { context: this.#context };
    const connection = await AcpConnection.open({
      context,
      signal: () => this.#turn.signal,
      onUpdate: (update) => {
        if (!this.#replaying) this.#conversation.update(update);
      },
      onNote: (text) => this.#note(text),
    });
    try {
      this.#replaying = true;
      const { id, how } = await openSession(connection, context, this.#session);
      if (id !== this.#session) this.#told = false;
      this.#session = id;
      if (how === 'new' && !takesSystemPrompt(connection.capabilities))
        this.#introduction = systemPrompt(context.launch);
      context.sink.fact({ kind: 'session.opened', session_id: id, how });
    } catch (thrown) {
      await connection[Symbol.asyncDispose]();
      throw thrown;
    } finally {
      this.#replaying = false;
    }
    this.#connection = connection;
    return connection;
  }

  async #close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.[Symbol.asyncDispose]();
  }

  /** In the middle of the turn where the agent can hear it then, else before the next prompt. */
  #note(text: string): void {
    const later = (): void => {
      this.#introduction = [this.#introduction, text].filter(Boolean).join('\n\n');
    };
    if (this.#connection?.steers !== true) return later();
    const params = { sessionId: this.#session, prompt: [{ type: 'text', text }] };
    this.#connection.request('_session/steering', params).catch(later);
  }

  /** One prompt to its end; what went wrong with it, or undefined. */
  async #tryTurn(text: string, signal: AbortSignal): Promise<Trouble | undefined> {
    this.#turn = new AbortController();
    const turn = this.#turn;
    try {
      const connection = await this.#open();
      if (signal.aborted) return { kind: 'refused', reason: 'interrupted', until: null };
      this.#told = true;
      return await this.#prompt(connection, text, { signal, turn });
    } catch (thrown) {
      const trouble = troubleOf(thrown, this.#conversation.resetsAt);
      this.#conversation.endTurn(trouble.kind === 'gone' ? 'unknown' : 'failed');
      if (trouble.kind === 'gone') await this.#close();
      return trouble;
    } finally {
      turn.abort();
    }
  }

  async #prompt(
    connection: AcpConnection,
    text: string,
    { signal, turn }: { readonly signal: AbortSignal; readonly turn: AbortController },
  ): Promise<Trouble | undefined> {
    const sessionId = this.#session;
    const { sink, launch } = this.#context;
    const silence = watchSilence(this.#context, () => this.#conversation.hasOpenCall);
    const stop = AbortSignal.any([signal, silence.signal]);
    const cancel = (): void => {
      turn.abort();
      connection.notify('session/cancel', { sessionId });
      // One that does not end its turn is ended itself.
      void delay(stepOf(signal), undefined, { signal: ended.signal }).then(
        () => this.#close(),
        () => {},
      );
    };
    const ended = new AbortController();
    stop.addEventListener('abort', cancel, { once: true });
    try {
      const prompt = [this.#introduction, text].filter(Boolean).map((part) => ({ type: 'text', text: part }));
      this.#introduction = '';
      const answer = await connection.request('session/prompt', { sessionId, prompt });
      const told = this.#conversation.takeTokens();
      const tokens = tokensOf(answer) || told;
      if (tokens > 0) sink.fact({ kind: 'usage', tokens, cost: 0 });
      this.#conversation.endTurn('failed');
      if (silence.signal.aborted && !signal.aborted)
        return { kind: 'silent', reason: `no sign of life for ${silence.limit_ms / 1000} s`, until: null };
      return this.#judge(String(isObject(answer) ? answer['stopReason'] : ''), launch.name);
    } finally {
      ended.abort();
      stop.removeEventListener('abort', cancel);
      silence.stop();
    }
  }

  #judge(stopReason: string, name: string): Trouble | undefined {
    const replied = this.#conversation.takeReplied();
    const failure = this.#conversation.takeFailure();
    if (stopReason === 'end_turn' && failure !== undefined)
      return { kind: 'api_error', reason: failure, until: null };
    if (stopReason === 'end_turn' && replied) return undefined;
    if (stopReason === 'end_turn')
      return { kind: 'no_reply', reason: 'the turn ended without a reply', until: null };
    return {
      kind: 'refused',
      reason: `the turn of ${name} ended: ${stopReason.replaceAll('_', ' ')}`,
      until: null,
    };
  }

  #waitFor(trouble: Trouble, attempt: number): number | undefined {
    const { launch } = this.#context;
    if (trouble.kind === 'gone' && launch.on_crash !== 'resume') return undefined;
    return waitBefore(trouble, attempt, launch.retry ?? RETRY_RULE);
  }

  /** The wait is a fact, so that everybody sees why nothing happens. */
  async #pause(
    task: DriverTask,
    trouble: Trouble,
    { attempt, wait, signal }: { attempt: number; wait: number; signal: AbortSignal },
  ): Promise<void> {
    const { sink, account } = this.#context;
    sink.log('WARN', 'system', trouble.reason);
    if (trouble.kind === 'quota') return account.park(trouble.reason, trouble.until);
    sink.fact({ kind: 'turn.retried', task_id: task.id, reason: trouble.reason, attempt });
    await delay(wait, undefined, { signal }).catch(() => {});
  }
}

function failed(reason: string): TaskOutcome {
  return { state: 'failed', reason };
}

function outcomeOf({ kind, reason }: Trouble): TaskOutcome {
  return { state: kind === 'gone' ? 'interrupted' : 'failed', reason };
}

/** All that the turn used, that of its helpers included where the agent says. */
function tokensOf(answer: unknown): number {
  const { usage, _meta } = isObject(answer) ? answer : {};
  const quota = isObject(_meta) && isObject(_meta['quota']) ? _meta['quota'] : {};
  const models = Array.isArray(quota['model_usage']) ? quota['model_usage'].filter(isObject) : [];
  const counted = models.map((model) => (isObject(model['token_count']) ? model['token_count'] : {}));
  const sum = counted.reduce((total, count) => total + numberOf(count['totalTokens']), 0);
  return sum > 0 ? sum : isObject(usage) ? numberOf(usage['totalTokens']) : 0;
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
