import type { ModelMessage, ModelRequest, ModelTool, Usage } from '../model/model.ts';
import { correctedRatio, estimateTokens, messagesTokens, toolsTokens } from './tokens.ts';
import { answerTokens } from './window.ts';

/** Definitions may take this much of what is left beside the answer; above it tools are searched for. */
const TOOLS_SHARE = 0.5;

/** Where the tokens of a window go. */
export interface ContextUse {
  readonly window: number;
  readonly system: number;
  readonly tools: number;
  readonly messages: number;
  /** Kept for the answer. */
  readonly answer: number;
  readonly free: number;
  /** True: the definitions of tools do not fit, and tools are searched for. */
  readonly searches: boolean;
}

/** What fits into the context window of a model. Estimates, corrected by what the model server counts. */
export class ContextBudget {
  readonly window: number;
  readonly answer: number;
  readonly #system: string;
  #ratio = 1;

  constructor(window: number, system: string) {
    this.window = window;
    this.answer = answerTokens(window);
    this.#system = system;
  }

  /** By what estimates are multiplied. */
  get ratio(): number {
    return this.#ratio;
  }

  /** Definitions are counted before anything else: what does not fit would be cut off without a word. */
  chooseTools(all: readonly ModelTool[], finder: readonly ModelTool[]): readonly ModelTool[] {
    const room = this.window - this.answer - this.#scaled(estimateTokens(this.#system));
    return this.#scaled(toolsTokens(all)) <= room * TOOLS_SHARE ? all : finder;
  }

  /** Tokens for messages, by our estimate of them. */
  room(tools: readonly ModelTool[]): number {
    const fixed = estimateTokens(this.#system) + toolsTokens(tools);
    return Math.max(0, Math.floor((this.window - this.answer) / this.#ratio) - fixed);
  }

  counted({ messages, tools }: ModelRequest, { prompt }: Usage): void {
    const estimated = messagesTokens(messages) + toolsTokens(tools);
    this.#ratio = correctedRatio(this.#ratio, { estimated, counted: prompt });
  }

  use(tools: readonly ModelTool[], messages: readonly ModelMessage[], searches: boolean): ContextUse {
    const use = {
      window: this.window,
      system: this.#scaled(estimateTokens(this.#system)),
      tools: this.#scaled(toolsTokens(tools)),
      messages: this.#scaled(messagesTokens(messages)),
      answer: this.answer,
    };
    const free = Math.max(0, use.window - use.system - use.tools - use.messages - use.answer);
    return { ...use, free, searches };
  }

  #scaled(tokens: number): number {
    return Math.round(tokens * this.#ratio);
  }
}
