import type { Pull } from './ollama-pull.ts';

/** The models that the scripted Ollama has, and what they can do. */
export const OLLAMA_MODELS: Readonly<Record<string, readonly string[]>> = {
  'scripted:latest': ['completion', 'tools', 'thinking'],
  'talker:latest': ['completion'],
};

/** A model that is loaded, partly on a graphics card. */
const LOADED = { name: 'scripted:latest', model: 'scripted:latest', size: 1_500_000, size_vram: 500_000 };

/** What Ollama answers beside chats; undefined for another path. A model that was pulled can do what the first one can. */
export function answerOllama(
  path: string,
  content: string,
  pulls: readonly Pull[],
): { readonly status: number; readonly body: unknown } | undefined {
  if (path.endsWith('/api/version')) return { status: 200, body: { version: '0.9.6' } };
  if (path.endsWith('/api/tags')) {
    const models = Object.keys(modelsWith(pulls)).map((name) => ({ name, model: name, size: 1_000_000 }));
    return { status: 200, body: { models } };
  }
  if (path.endsWith('/api/ps')) return { status: 200, body: { models: [LOADED] } };
  if (!path.endsWith('/api/show')) return undefined;
  const { model = '' } = JSON.parse(content) as { model?: string };
  const known = modelsWith(pulls);
  const capabilities = known[model] ?? known[`${model}:latest`];
  if (capabilities === undefined) return { status: 404, body: { error: `model '${model}' not found` } };
  const model_info = {
    'general.architecture': 'llama',
    'llama.context_length': 131_072,
    'llama.block_count': 2,
    'llama.embedding_length': 64,
    'llama.attention.head_count': 4,
    'llama.attention.head_count_kv': 4,
  };
  return { status: 200, body: { capabilities, model_info, details: { family: 'llama' } } };
}

/** What Ollama answers instead of a message of the model. */
export function refusedByOllama(
  content: string,
  pulls: readonly Pull[],
): { readonly status: number; readonly body: unknown } | undefined {
  const { model = '', tools = [] } = JSON.parse(content) as { model?: string; tools?: readonly unknown[] };
  const known = modelsWith(pulls);
  const capabilities = known[model] ?? known[`${model}:latest`];
  if (capabilities === undefined)
    return { status: 404, body: { error: `model "${model}" not found, try pulling it first` } };
  if (tools.length > 0 && !capabilities.includes('tools'))
    return { status: 400, body: { error: `${model} does not support tools` } };
  return undefined;
}

function modelsWith(pulls: readonly Pull[]): typeof OLLAMA_MODELS {
  const done = pulls.filter(({ state }) => state === 'done');
  const added = done.map(({ model }) => [`${model}:latest`, ['completion', 'tools']] as const);
  return { ...OLLAMA_MODELS, ...Object.fromEntries(added) };
}
