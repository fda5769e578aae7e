import { codingAgent } from '../../../agents/catalogue.ts';
import { PACKAGE_SETTINGS } from './package-settings.ts';

/** Variables that every agent gets from its creator. */
const COMMON = [
  /^(PATH|HOME)$/,
  /^(LANG|LANGUAGE|LC_[A-Z_]+)$/,
  /^(TERM|COLORTERM|TERM_PROGRAM)$/,
  /^(HTTP|HTTPS|NO|ALL|FTP)_PROXY$/i,
  /^(SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE)$/,
  /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)$/,
  ...PACKAGE_SETTINGS,
];

/** Variables of an agent's own kind. */
const BY_KIND: Readonly<Record<string, RegExp>> = {
  claude: /^(ANTHROPIC_|CLAUDE_)/,
  codex: /^(OPENAI_|CODEX_)/,
  gemini: /^(GEMINI_|GOOGLE_)/,
  qwen: /^(QWEN_|DASHSCOPE_|OPENAI_)/,
  opencode: /^(OPENCODE_|ANTHROPIC_|OPENAI_)/,
};

export interface EnvironmentRequest {
  readonly agent: string;
  readonly starter: NodeJS.ProcessEnv;
  readonly env: Readonly<Record<string, string>>;
  readonly env_from: readonly string[];
  /** Whether the agent keeps its settings in a directory of its own, and not in its creator's. */
  readonly sandboxed: boolean;
}

/** An agent's environment: an allow-list, what the role adds, and nothing else of its creator's. */
export function agentEnvironment({
  agent,
  starter,
  env,
  env_from,
  sandboxed,
}: EnvironmentRequest): Record<string, string> {
  const own = BY_KIND[agent];
  const withheld = sandboxed ? Object.keys(codingAgent(agent)?.state ?? {}) : [];
  const allowed = Object.entries(starter).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !withheld.includes(entry[0]) &&
      (COMMON.some((pattern) => pattern.test(entry[0])) || own?.test(entry[0]) === true),
  );
  const asked = env_from.flatMap((name) => {
    const value = starter[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const asking = codingAgent(agent)?.asking.env;
  return { ...asking, ...Object.fromEntries(allowed), ...env, ...Object.fromEntries(asked) };
}
