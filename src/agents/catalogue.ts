/** A coding agent that Fleet knows by name. */
export interface CodingAgent {
  readonly name: string;
  readonly title: string;
  /** The npm package that speaks ACP, at the version that Fleet is tested with. */
  readonly package: string;
  readonly version: string;
  /** The oldest Node that it runs on. */
  readonly node: number;
  /** What is started, from the directory that it is installed in on: with Node, or a program of its own. */
  readonly entry: string;
  readonly runs: 'node' | 'itself';
  readonly args: readonly string[];
  /** The scope and the start of the name of a package that npm brings only where there is a build for this machine. */
  readonly build: string | null;
  /** Whether its package must run a program of its own to be whole. */
  readonly scripts: boolean;
  /** What makes it ask before it acts, where it does not by itself. */
  readonly asking: { readonly mode?: string; readonly env?: Readonly<Record<string, string>> };
  /** The variables that name the directories of its settings and sessions, and where these are in a directory that is
   *  one agent's own. */
  readonly state: Readonly<Record<string, string>>;
  /** Where the files of its sessions are in the directory of its settings, named after them; null where they are not. */
  readonly sessions: string | null;
  /** Null where it works without one. */
  readonly login: Login | null;
}

/** How to see, without asking anybody, that an agent is logged in: one of these is enough. */
export interface Login {
  readonly variables: readonly string[];
  /** The variable that names the directory of its files, and where that is otherwise, from HOME on. */
  readonly directory: { readonly variable: string; readonly otherwise: string };
  /** Where `with` is given, the file must hold that word: it is there before any login as well. */
  readonly files: readonly { readonly file: string; readonly with?: string }[];
  /** What its own program is told to log in, from the directory that it is installed in on. */
  readonly entry: string;
  readonly args: readonly string[];
  /** The variable that takes the token which its program then prints: such a token can be a login of the fleet's own. */
  readonly token?: string;
}

export const CODING_AGENTS: readonly CodingAgent[] = [
  {
    name: 'claude',
    title: 'Claude Code',
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.99.1',
    node: 22,
    entry: 'node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js',
    runs: 'node',
    args: [],
    build: '@anthropic-ai/claude-agent-sdk-',
    scripts: false,
    asking: {},
    state: { CLAUDE_CONFIG_DIR: 'claude' },
    sessions: 'projects',
    login: {
      variables: [
        'ANTHROPIC_API_KEY',
        'ANTHROPIC_AUTH_TOKEN',
        'CLAUDE_CODE_OAUTH_TOKEN',
        'CLAUDE_CODE_USE_BEDROCK',
        'CLAUDE_CODE_USE_VERTEX',
        'CLAUDE_CODE_USE_FOUNDRY',
      ],
      directory: { variable: 'CLAUDE_CONFIG_DIR', otherwise: '.claude' },
      // On macOS the credentials are in the keychain: there the file that names the account is what can be seen.
      files: [
        { file: '.credentials.json' },
        { file: 'settings.json', with: 'apiKeyHelper' },
        { file: '.claude.json', with: 'oauthAccount' },
        { file: '../.claude.json', with: 'oauthAccount' },
        { file: '../.claude.json', with: 'primaryApiKey' },
      ],
      entry: 'node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js',
      args: ['--cli', 'setup-token'],
      token: 'CLAUDE_CODE_OAUTH_TOKEN',
    },
  },
  {
    name: 'codex',
    title: 'OpenAI Codex',
    package: '@agentclientprotocol/codex-acp',
    version: '2.6.0',
    node: 20,
    entry: 'node_modules/@agentclientprotocol/codex-acp/dist/index.js',
    runs: 'node',
    args: [],
    build: '@openai/codex-',
    scripts: false,
    asking: { mode: 'workspace-write' },
    state: { CODEX_HOME: 'codex' },
    sessions: 'sessions',
    login: {
      variables: ['CODEX_API_KEY', 'OPENAI_API_KEY', 'CODEX_CONFIG'],
      directory: { variable: 'CODEX_HOME', otherwise: '.codex' },
      files: [{ file: 'auth.json' }, { file: 'config.toml', with: 'model_provider' }],
      entry: 'node_modules/@openai/codex/bin/codex.js',
      args: ['login'],
    },
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    package: 'opencode-ai',
    version: '1.18.33',
    node: 18,
    entry: 'node_modules/opencode-ai/bin/opencode.exe',
    runs: 'itself',
    args: ['acp'],
    build: null,
    // It puts the build for this processor in its place.
    scripts: true,
    asking: { env: { OPENCODE_PERMISSION: '{"edit":"ask","bash":"ask","webfetch":"ask"}' } },
    state: { XDG_CONFIG_HOME: 'config', XDG_DATA_HOME: 'data', XDG_STATE_HOME: 'state' },
    sessions: null,
    // It has models that need none.
    login: null,
  },
  {
    name: 'qwen',
    title: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    node: 22,
    entry: 'node_modules/@qwen-code/qwen-code/cli-entry.js',
    runs: 'node',
    args: ['--acp'],
    build: null,
    scripts: false,
    asking: { mode: 'default' },
    state: { QWEN_HOME: 'qwen' },
    sessions: null,
    login: {
      variables: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY', 'QWEN_API_KEY'],
      directory: { variable: 'QWEN_HOME', otherwise: '.qwen' },
      files: [
        { file: 'oauth_creds.json' },
        { file: 'settings.json', with: 'selectedType' },
        { file: '.env' },
      ],
      entry: 'node_modules/@qwen-code/qwen-code/cli-entry.js',
      args: [],
    },
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    package: '@google/gemini-cli',
    version: '0.61.0',
    node: 20,
    entry: 'node_modules/@google/gemini-cli/bundle/gemini.js',
    runs: 'node',
    args: ['--acp'],
    build: null,
    scripts: false,
    asking: {},
    state: { GEMINI_CLI_HOME: 'gemini' },
    sessions: null,
    login: {
      variables: [
        'GEMINI_API_KEY',
        'GOOGLE_API_KEY',
        'GOOGLE_APPLICATION_CREDENTIALS',
        'GOOGLE_GENAI_USE_VERTEXAI',
      ],
      // The variable stands for the home directory.
      directory: { variable: 'GEMINI_CLI_HOME', otherwise: '' },
      files: [
        { file: '.gemini/oauth_creds.json' },
        { file: '.gemini/settings.json', with: 'selectedType' },
        { file: '.gemini/.env' },
      ],
      entry: 'node_modules/@google/gemini-cli/bundle/gemini.js',
      args: [],
    },
  },
];

export function codingAgent(name: string): CodingAgent | undefined {
  return CODING_AGENTS.find((each) => each.name === name);
}
