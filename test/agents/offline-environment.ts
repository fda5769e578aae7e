import { join } from 'node:path';

/** An environment in which an agent knows the scripted model and nobody else, and keeps what it writes in this home. */
export function offlineEnvironment(agent: string, url: string, home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, ...OWN[agent]?.(url, home) };
}

const OWN: Readonly<Record<string, (url: string, home: string) => Record<string, string>>> = {
  claude: (url, home) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
  }),
};
