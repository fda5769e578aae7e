import { AnthropicModel } from './anthropic-model.ts';
import { DiscreetModel } from './discreet-model.ts';
import type { ModelSettings } from './model-settings.ts';
import type { Model } from './model.ts';
import { OllamaModel } from './ollama-model.ts';
import { OpenaiModel } from './openai-model.ts';

export function openModel(settings: ModelSettings): Model {
  return new DiscreetModel(modelOf(settings), settings);
}

function modelOf(settings: ModelSettings): Model {
  switch (settings.provider) {
    case 'ollama':
      return new OllamaModel(settings);
    case 'openai':
      return new OpenaiModel(settings);
    case 'anthropic':
      return new AnthropicModel(settings);
  }
}
