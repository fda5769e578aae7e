import { z } from 'zod';
import type { LoadedMemory, ModelFacts } from './model.ts';

/** Bytes of one number in the cache of keys and values. */
const CACHE_NUMBER_BYTES = 2;

/** The answer of /api/show. */
export const ollamaDetails = z.looseObject({
  capabilities: z.array(z.string()).optional(),
  model_info: z.record(z.string(), z.unknown()).default({}),
});

/** The answer of /api/ps. */
export const ollamaLoaded = z.looseObject({
  models: z
    .array(z.looseObject({ size: z.number().min(0).default(0), size_vram: z.number().min(0).default(0) }))
    .nullish(),
});

export function loadedMemory({ models }: z.output<typeof ollamaLoaded>): LoadedMemory {
  const all = models ?? [];
  return {
    main: all.reduce((sum, { size, size_vram }) => sum + Math.max(0, size - size_vram), 0),
    graphics: all.reduce((sum, { size_vram }) => sum + size_vram, 0),
  };
}

/** What Ollama's description of a model says about its abilities and its context. */
export function factsOf(
  name: string,
  bytes: number,
  { capabilities, model_info }: z.output<typeof ollamaDetails>,
): Omit<ModelFacts, 'loaded'> {
  const architecture = String(model_info['general.architecture'] ?? '');
  const number = (key: string): number | undefined => {
    const value = model_info[`${architecture}.${key}`];
    return typeof value === 'number' && value > 0 ? value : undefined;
  };
  return {
    name,
    // Servers before 0.6.4 do not list abilities: the first request will tell.
    tools: capabilities === undefined || capabilities.includes('tools'),
    thinks: capabilities?.includes('thinking') ?? false,
    trained_window: number('context_length') ?? null,
    bytes_per_token: cacheBytes(number),
    bytes,
  };
}

/** The size of the keys and values of one token over all layers. */
function cacheBytes(number: (key: string) => number | undefined): number | null {
  const layers = number('block_count');
  const width = number('embedding_length');
  const heads = number('attention.head_count');
  if (layers === undefined || width === undefined || heads === undefined) return null;
  const keyHeads = number('attention.head_count_kv') ?? heads;
  const size = width / heads;
  const keys = number('attention.key_length') ?? size;
  const values = number('attention.value_length') ?? size;
  return layers * keyHeads * (keys + values) * CACHE_NUMBER_BYTES;
}
