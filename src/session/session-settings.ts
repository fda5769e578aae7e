import { FleetError, quote } from '../domain/values/errors.ts';
import {
  SESSION_PROVIDERS,
  type SessionConfig,
  type SessionProvider,
} from '../config/model/session-schema.ts';
import type { ModelSettings } from './model/model-settings.ts';

/** What a command line can say instead of the configuration. */
export interface SessionFlags {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly url?: string | undefined;
  readonly context?: number | undefined;
  readonly system_prompt_file?: string | undefined;
}

export interface SessionSettings extends ModelSettings {
  /** Undefined: what the model and the machine allow. */
  readonly context: number | undefined;
  readonly system_prompt_file: string | undefined;
  readonly view: string | undefined;
  readonly prices: SessionConfig['prices'];
}

const SILENT_SECONDS = 300;
const OLLAMA_PORT = 11_434;
const KEYS: Readonly<Record<SessionProvider, string | undefined>> = {
  ollama: undefined,
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
};

/** Flags before the configuration, and the configuration before what is usual. */
export function sessionSettings(
  config: SessionConfig | undefined,
  flags: SessionFlags,
  env: NodeJS.ProcessEnv,
): SessionSettings {
  const provider = providerOf(flags.provider) ?? config?.provider ?? 'ollama';
  // A model and an address of another provider mean nothing here.
  const own = config !== undefined && (config.provider ?? 'ollama') === provider ? config : undefined;
  const api_key_env = own?.api_key_env ?? KEYS[provider];
  return {
    provider,
    url: (addressOf(flags.url) ?? own?.url ?? usualUrl(provider, env)).replace(/\/+$/, ''),
    model: flags.model ?? own?.model,
    api_key: api_key_env === undefined ? undefined : keyOf(api_key_env, env),
    api_key_env,
    think: own?.think ?? true,
    silent_after_ms: (config?.silent_after_seconds ?? SILENT_SECONDS) * 1000,
    context: contextOf(flags.context) ?? own?.context,
    system_prompt_file: flags.system_prompt_file ?? config?.system_prompt_file,
    view: config?.view,
    // The prices of one model are not those of another.
    prices: flags.model === undefined || flags.model === own?.model ? own?.prices : undefined,
  };
}

/** OLLAMA_HOST as Ollama itself reads it: a host, a port, or both, with or without a scheme. */
export function ollamaUrl(host: string): string {
  const text = host.trim().replace(/\/+$/, '');
  const [, scheme = 'http', rest = ''] = /^(?:(https?):\/\/)?(.*)$/.exec(text) ?? [];
  const [, name = '', port] = /^(\[[^\]]*\]|[^:/]*)(?::(\d+))?/.exec(rest) ?? [];
  // An address to listen on is not one to connect to.
  const reached = ['', '0.0.0.0', '[::]'].includes(name) ? '127.0.0.1' : name;
  const usual = scheme === 'https' ? 443 : text === rest ? OLLAMA_PORT : 80;
  return `${scheme}://${reached}:${port ?? usual}`;
}

/** A header cannot have other characters. The message must not have the key. */
function keyOf(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const key = (env[name] ?? '').trim();
  if (/^[\u0021-\u007e]*$/.test(key)) return key === '' ? undefined : key;
  throw new FleetError(
    'INVALID_INPUT',
    `The API key in the environment variable ${name} has characters that no key has, such as a line break.`,
    { field: name },
  );
}

function usualUrl(provider: SessionProvider, env: NodeJS.ProcessEnv): string {
  switch (provider) {
    case 'ollama':
      return ollamaUrl(env['OLLAMA_HOST'] ?? '');
    case 'openai':
      return 'https://api.openai.com/v1';
    case 'anthropic':
      return 'https://api.anthropic.com';
  }
}

function providerOf(text: string | undefined): SessionProvider | undefined {
  if (text === undefined) return undefined;
  const found = SESSION_PROVIDERS.find((each) => each === text);
  if (found !== undefined) return found;
  throw new FleetError(
    'INVALID_INPUT',
    `${quote(text)} is not a provider: they are ${SESSION_PROVIDERS.join(', ')}.`,
    { field: 'provider' },
  );
}

function addressOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/^https?:\/\/[^/?#\s]+[^?#\s]*$/.test(text) && URL.canParse(text)) return text;
  throw new FleetError(
    'INVALID_INPUT',
    `${quote(text)} is not the address of a model server, such as http://127.0.0.1:${OLLAMA_PORT}.`,
    { field: 'url' },
  );
}

function contextOf(tokens: number | undefined): number | undefined {
  if (tokens === undefined || tokens >= 1024) return tokens;
  throw new FleetError('INVALID_INPUT', `The context must have at least 1024 tokens; got ${tokens}.`, {
    field: 'context',
  });
}
