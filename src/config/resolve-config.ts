import type { McpServerConfig } from './mcp-server-schema.ts';
import { quote } from '../domain/values/errors.ts';
import type { ConfigProblem } from './config-problem.ts';
import type { ConfigFile, FleetConfig, ProjectConfig, RoleConfig } from './config-schema.ts';
import { expandVariables } from './expand-variables.ts';
import type { KeyPath } from './key-path.ts';
import { readTextFile } from './read-text-file.ts';
import { resolvePath } from './resolve-path.ts';
import type { SessionConfig } from './model/session-schema.ts';
import { writeProblem } from './write-problem.ts';

interface Surroundings {
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface Resolved {
  readonly config: FleetConfig;
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
}

/** Variables filled in, paths made absolute, prompts read from their files. */
export function resolveConfig(file: ConfigFile, surroundings: Surroundings): Resolved {
  const resolver = new Resolver(surroundings);
  const config = {
    ...file,
    backends: mapValues(file.backends, (backend, name) => ({
      ...backend,
      url: resolver.url(backend.url, ['backends', name, 'url']),
    })),
    projects: mapValues(file.projects, (project, name) =>
      resolver.project(
        { ...project, repository: project.repository ?? '', backend: project.backend ?? file.backend },
        ['projects', name],
      ),
    ),
    roles: mapValues(file.roles, (role, name) => resolver.role(role, ['roles', name])),
    tool_modules: mapValues(file.tool_modules, (path) => resolvePath(path, surroundings)),
    mcpServers: mapValues(file.mcpServers, (server, name) => resolver.server(server, ['mcpServers', name])),
    ...(file.session === undefined ? {} : { session: resolver.session(file.session) }),
  };
  return { config, problems: resolver.problems, warnings: resolver.warnings };
}

class Resolver {
  readonly problems: ConfigProblem[] = [];
  readonly warnings: ConfigProblem[] = [];
  readonly #surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  project(project: ProjectConfig, path: KeyPath): ProjectConfig {
    return {
      ...project,
      repository: this.#repository(project, [...path, 'repository']),
      ...(project.base === undefined ? {} : { base: this.#filledText(project.base, [...path, 'base']) }),
    };
  }

  role(role: RoleConfig, path: KeyPath): RoleConfig {
    const { env, system_prompt_file, write, hide, sockets } = role;
    return {
      ...role,
      ...(write === undefined ? {} : { write: this.#writable(write, [...path, 'write']) }),
      ...(hide === undefined ? {} : { hide: this.#paths(hide, [...path, 'hide']) }),
      ...(sockets === undefined ? {} : { sockets: this.#paths(sockets, [...path, 'sockets']) }),
      ...(env === undefined
        ? {}
        : { env: mapValues(env, (value, name) => this.#text(value, [...path, 'env', name])) }),
      ...(system_prompt_file === undefined
        ? {}
        : this.#prompt(system_prompt_file, [...path, 'system_prompt_file'])),
    };
  }

  server(server: ConfigFile['mcpServers'][string], path: KeyPath): McpServerConfig {
    const missing = new Set<string>();
    const fill = (text: string, key: KeyPath): string => {
      const expanded = expandVariables(text, this.#surroundings.env);
      for (const name of expanded.missing) missing.add(name);
      for (const problem of problemsOf(expanded)) this.warnings.push({ path: key, text: problem });
      return expanded.text;
    };
    const { command, args, env, cwd, url, headers, type, oauth } = server;
    const texts = Object.entries({ command, cwd, url, type }).flatMap(([key, text]) =>
      text === undefined ? [] : [[key, fill(text, [...path, key])]],
    );
    return {
      ...server,
      ...Object.fromEntries(texts),
      ...(args === undefined
        ? {}
        : { args: args.map((text, index) => fill(text, [...path, 'args', index])) }),
      ...(env === undefined ? {} : { env: mapValues(env, (text, key) => fill(text, [...path, 'env', key])) }),
      ...(headers === undefined
        ? {}
        : { headers: mapValues(headers, (text, key) => fill(text, [...path, 'headers', key])) }),
      ...(oauth === undefined
        ? {}
        : {
            oauth: mapValues(oauth, (value, key) =>
              typeof value === 'string' ? fill(value, [...path, 'oauth', key]) : value,
            ) as typeof oauth,
          }),
      missing_variables: [...missing],
    };
  }

  /** A prompt that is not there is reported when a session starts: everything else works without it. */
  session(session: SessionConfig): SessionConfig {
    const { system_prompt_file: file } = session;
    return file === undefined
      ? session
      : { ...session, system_prompt_file: resolvePath(file, this.#surroundings) };
  }

  url(text: string, path: KeyPath): string {
    const before = this.problems.length;
    const url = this.#filledText(text, path);
    const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
    if (!isWeb && this.problems.length === before) {
      this.problems.push({
        path,
        text: `must be an address that starts with https:// or http://, not ${quote(text)}`,
      });
    }
    return url;
  }

  #repository({ repository, backend }: ProjectConfig, path: KeyPath): string {
    // A missing one is reported with the other missing ones.
    if (repository === '') return '';
    const text = this.#filledText(repository, path);
    if (backend !== 'local') return text;
    if (/^[a-z][a-z0-9+.-]+:\/\/|^[^/\s]+@[^/\s]+:/i.test(text)) {
      this.problems.push({
        path,
        text: `must be the path of a repository on this machine, not ${quote(repository)}: clone it and name the clone`,
      });
    }
    return resolvePath(text, this.#surroundings);
  }

  #paths(given: readonly string[], path: KeyPath): string[] {
    return given.map((text, index) =>
      resolvePath(this.#filledText(text, [...path, index]), this.#surroundings),
    );
  }

  #writable(given: readonly string[], path: KeyPath): string[] {
    const paths = this.#paths(given, path);
    for (const [index, each] of paths.entries()) {
      const problem = writeProblem(each, this.#surroundings.env);
      if (problem !== undefined) this.problems.push({ path: [...path, index], text: problem });
    }
    return paths;
  }

  #prompt(given: string, path: KeyPath) {
    const system_prompt_file = resolvePath(given, this.#surroundings);
    const file = readTextFile(system_prompt_file);
    if ('problem' in file) {
      this.problems.push({
        path,
        text: `names the file ${quote(system_prompt_file)}, which ${file.problem}`,
      });
      return { system_prompt_file };
    }
    return { system_prompt_file, system_prompt: file.text };
  }

  #filledText(text: string, path: KeyPath): string {
    const filled = this.#text(text, path);
    if (filled.trim() === '') {
      this.problems.push({ path, text: `is empty once its variables are filled in: ${quote(text)}` });
    }
    return filled;
  }

  #text(text: string, path: KeyPath): string {
    const expanded = expandVariables(text, this.#surroundings.env);
    for (const problem of problemsOf(expanded)) this.problems.push({ path, text: problem });
    return expanded.text;
  }
}

function problemsOf({ missing, malformed }: ReturnType<typeof expandVariables>): string[] {
  return [
    ...missing.map((name) => `needs the environment variable ${quote(name)}, which is not set`),
    ...(malformed === undefined
      ? []
      : [`has ${quote(malformed)}, which names no variable: write \${NAME}, or $\${ for a literal \${`]),
  ];
}

function mapValues<In, Out>(
  record: Readonly<Record<string, In>>,
  change: (value: In, key: string) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
