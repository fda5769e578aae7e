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
  /** Memory that this machine has left; null when the model runs elsewhere or it is not known. */
  readonly free_bytes: number | null;
}

export interface Window {
  readonly tokens: number;
  /** What made it smaller than it would have been. */
  readonly limited_by: 'model' | 'memory' | null;
}

/** The context window to ask for: it fits the model, and the memory of the machine when the model runs on it. */
export function chooseWindow(limits: WindowLimits): Window {
  const { asked, usual = USUAL, trained, bytes_per_token, model_bytes, free_bytes } = limits;
  const wanted = asked ?? usual;
  const byModel = Math.min(wanted, trained ?? wanted);
  // What a person asked for is theirs to judge.
  if (asked !== undefined || bytes_per_token === null || free_bytes === null) {
    return { tokens: byModel, limited_by: byModel < wanted ? 'model' : null };
  }
  const fits = Math.floor((free_bytes - model_bytes - RESERVED_BYTES) / bytes_per_token / 1024) * 1024;
  const byMemory = Math.min(byModel, Math.max(LEAST, fits));
  if (byMemory < byModel) return { tokens: byMemory, limited_by: 'memory' };
  return { tokens: byModel, limited_by: byModel < wanted ? 'model' : null };
}

/** How much of a window is kept for the answer. */
export function answerTokens(window: number): number {
  return Math.min(MOST_ANSWER, Math.floor(window / 4));
}
