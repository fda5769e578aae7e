import type { LoadedMemory } from '../model/model.ts';

/** Asked for when nothing else is said: enough for tools and a conversation, and it fits most machines. */
const USUAL = 32_768;
const LEAST = 2_048;
/** Left to everything else on the machine. */
const RESERVED_BYTES = 512 * 1024 * 1024;
const MOST_ANSWER = 4_096;

export interface WindowLimits {
  /** By the configuration or a flag. */
  readonly asked: number | undefined;
  /** What the provider is known to have; undefined for a model of Ollama. */
  readonly usual?: number | undefined;
  readonly trained: number | null;
  readonly bytes_per_token: number | null;
  readonly model_bytes: number;
  /** Null when the model runs elsewhere, or the memory is not known. */
  readonly memory: ModelMemory | null;
}

/** Memory of the machine that the model runs on. */
export interface ModelMemory {
  readonly free: number;
  readonly total: number;
  /** What the models that are loaded now would give back. */
  readonly loaded: LoadedMemory;
}

export interface Window {
  readonly tokens: number;
  /** What made it smaller than it would have been. */
  readonly limited_by: 'model' | 'memory' | null;
}

/** The context window to ask for: it fits the model, and the memory of the machine when the model runs on it. */
export function chooseWindow(limits: WindowLimits): Window {
  const { asked, usual = USUAL, trained, bytes_per_token, model_bytes, memory } = limits;
  const wanted = asked ?? usual;
  const byModel = Math.min(wanted, trained ?? wanted);
  // What a person asked for is theirs to judge.
  if (asked !== undefined || bytes_per_token === null || memory === null) {
    return { tokens: byModel, limited_by: byModel < wanted ? 'model' : null };
  }
  const left = memoryForModel(memory) - model_bytes - RESERVED_BYTES;
  const fits = Math.floor(left / bytes_per_token / 1024) * 1024;
  const byMemory = Math.min(byModel, Math.max(LEAST, fits));
  if (byMemory < byModel) return { tokens: byMemory, limited_by: 'memory' };
  return { tokens: byModel, limited_by: byModel < wanted ? 'model' : null };
}

/** What is loaded now makes room for the model, and may be that model. */
function memoryForModel({ free, total, loaded }: ModelMemory): number {
  // Weights that are mapped from a file are counted as free already: there is never more than the machine has.
  return Math.min(free + loaded.main, total) + loaded.graphics;
}

/** How much of a window is kept for the answer. */
export function answerTokens(window: number): number {
  return Math.min(MOST_ANSWER, Math.floor(window / 4));
}
