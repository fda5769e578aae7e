import type { McpServerConfig, OAuthConfig } from '../../config/mcp-server-schema.ts';
import { createHash } from 'node:crypto';

/** One upstream server, with everything filled in. */
export interface ServerDefinition {
  readonly name: string;
  readonly command?: string;
  readonly args: readonly string[];
  /** What the configuration adds to the environment of its program. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly url?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly oauth?: OAuthConfig;
  readonly timeout_ms: number;
  readonly autoStart: boolean;
  readonly idle_ms: number | null;
  /** Variables that the configuration names and nobody has set. */
  readonly missing: readonly string[];
  /** The rest of the program's environment, from the process that declared the server first. */
  readonly base: Readonly<Record<string, string>>;
}

/** What a program that speaks MCP gets from the environment of the process that starts it. */
const COMMON =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|LANG|LC_[A-Z]+|TZ|XDG_[A-Z_]+|(HTTPS?|NO|ALL)_PROXY|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS)$/i;

export interface DefinitionPlace {
  /** Where paths of the configuration start. */
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
}

export function defineServer(
  name: string,
  config: McpServerConfig,
  { directory, env }: DefinitionPlace,
): ServerDefinition {
  const { command, url, type, oauth } = config;
  const base = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && COMMON.test(entry[0]),
  );
  return {
    name,
    ...(command === undefined ? {} : { command }),
    args: config.args ?? [],
    env: config.env ?? {},
    cwd: config.cwd ?? directory,
    ...(url === undefined ? {} : { url }),
    headers: config.headers ?? {},
    ...(type === undefined ? {} : { type }),
    ...(oauth === undefined ? {} : { oauth }),
    timeout_ms: config.timeout,
    autoStart: config.autoStart,
    idle_ms: config.idleTimeout === 0 ? null : config.idleTimeout,
    missing: config.missing_variables,
    base: Object.fromEntries(base),
  };
}

/** Two declarations with one key are one server, and share one process. */
export function serverKey({ base: _base, ...definition }: ServerDefinition): string {
  return createHash('sha256').update(JSON.stringify(definition)).digest('hex').slice(0, 24);
}
