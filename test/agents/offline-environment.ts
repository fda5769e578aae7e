import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** An environment in which an agent knows the scripted model and nobody else, and keeps what it writes in this home;
 *  what it reads from files is written there. */
export function offlineEnvironment(agent: string, url: string, home: string): Record<string, string> {
  const { variables, files } = OFFLINE[agent]?.(url, home) ?? { variables: {}, files: {} };
  mkdirSync(home, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  return { PATH: process.env['PATH'] ?? '', HOME: home, ...variables };
}

interface Offline {
  readonly variables: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
}

const MODEL = 'scripted';

const OFFLINE: Readonly<Record<string, (url: string, home: string) => Offline>> = {
  claude: (url, home) => ({
    variables: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'scripted',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '1',
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
    },
    files: {},
  }),
  codex: (url, home) => ({
    variables: { CODEX_HOME: join(home, '.codex') },
    files: {
      '.codex/config.toml': `model = "${MODEL}"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`,
    },
  }),
  opencode: (url) => ({
    variables: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        model: `scripted/${MODEL}`,
        small_model: `scripted/${MODEL}`,
        autoupdate: false,
        share: 'disabled',
        permission: { edit: 'ask', bash: 'ask' },
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'scripted',
            options: { baseURL: `${url}/v1`, apiKey: 'scripted' },
            models: { [MODEL]: { tool_call: true, limit: { context: 100_000, output: 8_000 } } },
          },
        },
      }),
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
    files: {},
  }),
  qwen: (url) => ({
    variables: { OPENAI_API_KEY: 'scripted', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: MODEL },
    files: {
      '.qwen/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      }),
    },
  }),
};
