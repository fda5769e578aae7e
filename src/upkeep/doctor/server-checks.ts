import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadedConfig } from '../../config/config-source.ts';
import type { McpServerConfig } from '../../config/mcp-server-schema.ts';
import { isHttpAddress } from '../../domain/values/is-http-address.ts';
import { OAuthVault } from '../../orchestrator/oauth/oauth-vault.ts';
import { findProgram } from '../../platform/processes/find-program.ts';
import { resolveHome } from '../../platform/home.ts';
import type { Check, Finding } from '../../domain/check.ts';

/** What the upstream MCP servers and tool modules of a configuration need. None is started: fleet tools does that. */
export function serverChecks(loaded: LoadedConfig | undefined, env: NodeJS.ProcessEnv): readonly Check[] {
  if (loaded === undefined) return [];
  const { config, directory } = loaded;
  const servers = Object.entries(config.mcpServers).filter(([, { disabled }]) => !disabled);
  return [
    ...servers.map(([name, server]) => ({
      name: `mcp server ${name}`,
      ...(server.url === undefined
        ? programFinding(server, directory, env)
        : remoteFinding(name, server, env)),
    })),
    ...Object.entries(config.tool_modules).map(([name, file]) => ({
      name: `tool module ${name}`,
      ...moduleFinding(file),
    })),
  ];
}

function programFinding(
  { command = '', cwd, missing_variables }: McpServerConfig,
  directory: string,
  env: NodeJS.ProcessEnv,
): Finding {
  if (missing_variables.length > 0) return missing(missing_variables);
  const place = command.includes('/') && !command.startsWith('/') ? join(cwd ?? directory, command) : command;
  if (cwd !== undefined && !existsSync(cwd)) {
    const fix = 'create it, or correct "cwd" of the server in fleet.yaml';
    return { state: 'fail', message: `the directory ${cwd} does not exist`, fix };
  }
  if (findProgram(place, env['PATH']) !== undefined) return { state: 'ok', message: `${command} is there` };
  if (command.includes('/') && existsSync(place))
    return { state: 'fail', message: `${command} is not executable`, fix: `chmod +x ${place}` };
  return {
    state: 'fail',
    message: `the program ${command} was not found`,
    fix: 'install it, or correct "command" of the server in fleet.yaml',
  };
}

function remoteFinding(
  name: string,
  { url = '', oauth, missing_variables }: McpServerConfig,
  env: NodeJS.ProcessEnv,
): Finding {
  if (missing_variables.length > 0) return missing(missing_variables);
  if (!isHttpAddress(url)) {
    return {
      state: 'fail',
      message: `${url} is not an http or https address`,
      fix: 'correct "url" of the server in fleet.yaml',
    };
  }
  if (oauth?.grant === 'browser' && !new OAuthVault(resolveHome(env)).has(url)) {
    return { state: 'warn', message: 'not logged in', fix: `fleet tools login ${name}` };
  }
  return { state: 'ok', message: `at ${new URL(url).host}` };
}

function missing(variables: readonly string[]): Finding {
  return {
    state: 'fail',
    message: `${variables.join(', ')} is not set`,
    fix: 'set it where fleet is started',
  };
}

function moduleFinding(file: string): Finding {
  if (existsSync(file)) return { state: 'ok', message: `${file} is there` };
  return { state: 'fail', message: `${file} was not found`, fix: 'correct "tool_modules" of fleet.yaml' };
}
