import { setTimeout as delay } from 'node:timers/promises';
import { ContextBudget, type ContextUse } from './context/context-budget.ts';
import { contextOverflow, promptOverflow } from './context/context-overflow.ts';
import { resultLimit } from './context/cut-result.ts';
import { fitMessages } from './context/fit-messages.ts';
import { refusesEverything, summarise } from './context/summarise.ts';
import { messageTokens } from './context/tokens.ts';
import { chooseWindow, type ModelMemory, type Window } from './context/window.ts';
import type { Model, ModelFacts, ModelMessage, ModelRequest, ModelTool, Usage } from './model/model.ts';
import type { RoundsResult } from './rounds/run-rounds.ts';
import type { SessionEvent } from './session-event.ts';
import type { SessionLog } from './session-log.ts';
import { SessionState, type SessionStateName } from './session-state.ts';
import type { SessionSettings } from './session-settings.ts';
import { systemPrompt } from './system-prompt.ts';
import type { Approver } from './tools/approver.ts';
import type { SessionTools } from './tools/session-tools.ts';
import { FINDER_TOOLS } from './tools/finder-tools.ts';

const PROVIDER_WINDOWS = { ollama: undefined, openai: 32_768, anthropic: 200_000 } as const;
const MOST_SUMMARIES = 3;
const HEAD_START_MS = 50;
/** Tokens that the system prompt must leave for messages. */
const LEAST_ROOM = 50;
const LEFT_OUT = 'The earlier part of the conversation was left out: it could not be summarised.';

export interface SessionParts {
  readonly settings: SessionSettings;
  readonly model: Model;
  /** Called once, while the model is checked. */
  readonly openTools: () => Promise<SessionTools>;
  readonly log: SessionLog;
  readonly approver: Approver;
  readonly emit: (event: SessionEvent) => void;
  /** Memory where the model runs; null when it is not this machine. */
  readonly memory: () => Pick<ModelMemory, 'free' | 'total'> | null;
}

/** What a session says of itself at the start. */
export interface SessionStart {
  readonly model: string;
  readonly provider: SessionSettings['provider'];
  readonly url: string;
  readonly window: number;
  readonly window_limited_by: Window['limited_by'];
  /** False: the model cannot call tools. */
  readonly tools: boolean;
}

export interface SessionAnswer extends RoundsResult {
  readonly usage: { readonly prompt: number; readonly answer: number };
  readonly took_ms: number;
}

/** A controlling AI: answers messages with a model that has the tools of the fleet. */
export class Session implements AsyncDisposable {
  readonly #parts: SessionParts;
  readonly #state: SessionState;
  readonly #ending = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #tools: Promise<SessionTools> | undefined;
  #ready: { readonly facts: ModelFacts; readonly budget: ContextBudget; readonly system: string } | undefined;
  #usage = { prompt: 0, answer: 0 };

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#state = new SessionState((state) => parts.emit({ type: 'state', state }));
  }

  get state(): SessionStateName {
    return this.#state.current;
  }

  get log(): SessionLog {
    return this.#parts.log;
  }

  /** Checks the server, the model and the prompt, in this order. Nothing is sent to the model before that. */
  async start(signal: AbortSignal): Promise<SessionStart> {
    this.#state.require('initializing');
    const { model, settings, emit } = this.#parts;
    emit({ type: 'state', state: this.state });
    try {
      const checking = model.check(signal);
      // The model server gets its first request before the tools, which take longer to load, keep this process busy.
      await Promise.race([checking.catch(() => {}), delay(HEAD_START_MS)]);
      const loading = this.#loadTools();
      const facts = await checking;
      const system = systemPrompt(settings.system_prompt_file);
      const memory = this.#parts.memory();
      const { tokens, limited_by } = chooseWindow({
        asked: settings.context,
        usual: PROVIDER_WINDOWS[settings.provider],
        trained: facts.trained_window,
        bytes_per_token: facts.bytes_per_token,
        model_bytes: facts.bytes,
        memory: memory === null ? null : { ...memory, loaded: facts.loaded },
      });
      await loading;
      const budget = new ContextBudget(tokens, system);
      if (budget.room(facts.tools ? FINDER_TOOLS : []) < LEAST_ROOM) throw promptOverflow(tokens, system);
      this.#ready = { facts, system, budget };
      this.#state.to('ready');
      return {
        model: facts.name,
        provider: settings.provider,
        url: model.url,
        window: tokens,
        window_limited_by: limited_by,
        tools: facts.tools,
      };
    } catch (thrown) {
      if (this.#state.current === 'initializing') this.#state.to('failed');
      throw thrown;
    }
  }

  /** Answers one message. CONTEXT_OVERFLOW when it does not fit; an abort ends the answer and not the session. */
  async send(text: string, signal: AbortSignal): Promise<SessionAnswer> {
    this.#state.require('ready');
    await this.#checkSize(text);
    this.#state.to('processing');
    const joined = AbortSignal.any([signal, this.#ending.signal]);
    const answering = this.#answer(text, joined);
    this.#running = answering.catch(() => {});
    try {
      return await answering;
    } finally {
      if (this.#state.current === 'processing') this.#state.to('ready');
    }
  }

  /** The tools that the model is offered now. */
  async tools(): Promise<readonly ModelTool[]> {
    const { facts } = this.#checked();
    return facts.tools ? (await this.#loadTools()).list() : [];
  }

  async contextUse(): Promise<ContextUse> {
    const { budget } = this.#checked();
    const all = await this.tools();
    const offered = budget.chooseTools(all, FINDER_TOOLS);
    return budget.use(offered, this.log.conversation.forModel(), offered !== all);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.state === 'closed' || this.state === 'terminating') return;
    this.#state.to('terminating');
    this.#ending.abort();
    await this.#running;
    this.log[Symbol.dispose]();
    this.#state.to('closed');
  }

  #loadTools(): Promise<SessionTools> {
    if (this.#tools === undefined) {
      this.#tools = this.#parts.openTools();
      // A failure of the checks may come first: nobody looks at this one then.
      this.#tools.catch(() => {});
    }
    return this.#tools;
  }

  async #answer(text: string, signal: AbortSignal): Promise<SessionAnswer> {
    const { model, approver, emit } = this.#parts;
    const began = performance.now();
    this.#usage = { prompt: 0, answer: 0 };
    this.#record({ role: 'user', text });
    const { runRounds } = await import('./rounds/run-rounds.ts');
    try {
      const result = await runRounds(
        {
          model,
          tools: await this.#loadTools(),
          approver,
          emit,
          record: (message) => this.#record(message),
          prepare: (during) => this.#prepare(during),
          counted: (request, usage) => this.#count(request, usage),
        },
        signal,
      );
      return { ...result, usage: this.#usage, took_ms: Math.round(performance.now() - began) };
    } finally {
      this.#keepUsage(performance.now() - began);
    }
  }

  /** The next request: what does not fit is shortened, then summarised. */
  async #prepare(signal: AbortSignal) {
    const { budget, system, facts } = this.#checked();
    const all = await this.tools();
    const tools = facts.tools ? budget.chooseTools(all, FINDER_TOOLS) : [];
    for (let tries = 0; ; tries++) {
      const room = budget.room(tools);
      const view = this.log.conversation.forModel();
      // A summary is not summarised once more: what is new has to fit beside it.
      const fitted = fitMessages(view, room, this.log.conversation.covered > 0 ? 1 : 0);
      if (fitted.kind === 'fits') {
        const messages: readonly ModelMessage[] = [{ role: 'system', text: system }, ...fitted.messages];
        const request: ModelRequest = { messages, tools, window: budget.window, answer: budget.answer };
        return { request, result_limit: resultLimit(room) };
      }
      if (fitted.kind === 'overflow' || tries === MOST_SUMMARIES) throw contextOverflow(budget.window);
      await this.#summarise(view.slice(0, fitted.old), signal);
    }
  }

  async #summarise(old: readonly ModelMessage[], signal: AbortSignal): Promise<void> {
    const { model, emit } = this.#parts;
    const { budget } = this.#checked();
    const { window, answer } = budget;
    const covers = this.log.conversation.keptBefore(old.length);
    emit({ type: 'notice', text: 'The conversation is longer than the context: summarising its beginning.' });
    const request = { model, messages: old, window, answer, room: budget.room([]) };
    const text = await summarise(request, signal).catch((thrown: unknown) => {
      signal.throwIfAborted();
      if (refusesEverything(thrown)) throw thrown;
      return '';
    });
    // Longer than the part that it stands for is of no use.
    const short = text.slice(0, answer * 2);
    this.log.add({ type: 'summary', at: now(), text: short === '' ? LEFT_OUT : short, covers });
  }

  /** Before anything is kept or sent: one message that can never fit. */
  async #checkSize(text: string): Promise<void> {
    const { budget, facts } = this.#checked();
    const tools = facts.tools ? budget.chooseTools(await this.tools(), FINDER_TOOLS) : [];
    const size = messageTokens({ role: 'user', text });
    if (size <= budget.room(tools)) return;
    throw contextOverflow(budget.window, Math.round(size * budget.ratio));
  }

  #count(request: ModelRequest, usage: Usage): void {
    this.#checked().budget.counted(request, usage);
    this.#usage = {
      prompt: this.#usage.prompt + (usage.prompt ?? 0),
      answer: this.#usage.answer + (usage.answer ?? 0),
    };
  }

  #keepUsage(took_ms: number): void {
    const { name: model } = this.#checked().facts;
    this.log.add({ type: 'usage', at: now(), model, ...this.#usage, took_ms: Math.round(took_ms) });
  }

  #record(message: ModelMessage): void {
    if (message.role === 'system') return;
    this.log.add({ type: 'message', at: now(), message: keepable(message) });
  }

  #checked() {
    if (this.#ready === undefined) throw new Error('the session was not started');
    return this.#ready;
  }
}

function keepable(message: Exclude<ModelMessage, { readonly role: 'system' }>) {
  return message.role === 'assistant' ? { ...message, calls: [...message.calls] } : message;
}

function now(): string {
  return new Date().toISOString();
}
