import { mcpServerSchema } from './mcp-server-schema.ts';
import { nameKey } from '../domain/values/agent-name.ts';
import { quote } from '../domain/values/errors.ts';
import { OWN_SERVER } from '../domain/values/view.ts';
import { builtInRole, rolesOf } from './built-in-roles.ts';
import {
  AGENT_KINDS_WITH_COMMAND,
  BACKEND_NAMES,
  type ConfigFile,
  type RoleConfig,
} from './config-schema.ts';
import type { ConfigProblem } from './config-problem.ts';
import { suggestion } from './describe-issue.ts';
import { valueAt } from './key-path.ts';

const NO_PROGRAM = 'must name a program, and is empty';

/** The rules between keys, which the shape alone cannot say. */
export function checkConfig(file: ConfigFile): readonly ConfigProblem[] {
  return [
    ...sameNames(file),
    ...checkBackends(file),
    ...Object.entries(file.projects).flatMap(([name, project]) => checkProject(name, project, file)),
    ...Object.entries(file.roles).flatMap(([name, role]) => [
      ...checkRole(name, role),
      ...checkView(name, role, file),
    ]),
    ...checkSession(file),
    ...Object.entries(file.views).flatMap(([name, view]) => checkViewServers(name, view, file)),
    ...Object.entries(file.mcpServers).flatMap(([name, server]) => checkServer(name, server)),
  ];
}

/** Keys of servers that Fleet does not know: other clients may, so they are not an error. */
export function unknownServerKeys(file: ConfigFile, value: unknown): readonly ConfigProblem[] {
  const known = Object.keys(mcpServerSchema.shape);
  return Object.keys(file.mcpServers).flatMap((name) => {
    const server = valueAt(value, ['mcpServers', name]);
    const keys = typeof server === 'object' && server !== null ? Object.keys(server) : [];
    return keys
      .filter((key) => !known.includes(key))
      .map((key) => ({
        path: ['mcpServers', name, key],
        text: `is not a known key and has no effect${suggestion(key, known)}`,
        onKey: true,
      }));
  });
}

function checkView(name: string, { view }: RoleConfig, { views }: ConfigFile): ConfigProblem[] {
  if (view === undefined || Object.hasOwn(views, view)) return [];
  const text = `names no view of this file${suggestion(view, Object.keys(views))}`;
  return [{ path: ['roles', name, 'view'], text }];
}

function checkSession({ session, views }: ConfigFile): ConfigProblem[] {
  const view = session?.view;
  if (view === undefined || Object.hasOwn(views, view)) return [];
  const text = `names no view of this file${suggestion(view, Object.keys(views))}`;
  return [{ path: ['session', 'view'], text }];
}

function checkViewServers(
  name: string,
  { servers = [] }: ConfigFile['views'][string],
  { mcpServers, tool_modules }: ConfigFile,
): ConfigProblem[] {
  const known = [OWN_SERVER, ...Object.keys(mcpServers), ...Object.keys(tool_modules)];
  return servers.flatMap((server, index) => {
    if (known.includes(server)) return [];
    const text = `names no server of this file${suggestion(server, known)}`;
    return [{ path: ['views', name, 'servers', index], text }];
  });
}

function sameNames(file: ConfigFile): ConfigProblem[] {
  return (['backends', 'projects', 'roles', 'mcpServers'] as const).flatMap((section) => {
    const seen = new Map<string, string>();
    return Object.keys(file[section]).flatMap((name) => {
      const before = seen.get(nameKey(name));
      seen.set(nameKey(name), name);
      if (before === undefined) return [];
      const text = `has the same name as ${quote(before)}: upper and lower case make no difference`;
      return [{ path: [section, name], text, onKey: true }];
    });
  });
}

function checkBackends(file: ConfigFile): ConfigProblem[] {
  const reserved = Object.keys(file.backends)
    .filter((name) => BACKEND_NAMES.some((own) => own === nameKey(name)))
    .map((name) => ({
      path: ['backends', name],
      text: 'is a name that Fleet has itself; choose another',
      onKey: true,
    }));
  return [...reserved, ...checkBackendName(['backend'], file.backend, file)];
}

function checkBackendName(path: string[], name: string, file: ConfigFile): ConfigProblem[] {
  const known = [...BACKEND_NAMES, ...Object.keys(file.backends)];
  if (known.includes(name)) return [];
  return [{ path, text: `names no backend: ${quote(name)}${suggestion(name, known)}` }];
}

function checkProject(
  name: string,
  project: ConfigFile['projects'][string],
  file: ConfigFile,
): ConfigProblem[] {
  const path = ['projects', name];
  const { default_role, backend, setup, repository, template } = project;
  const roles = rolesOf(file).map((role) => role.name);
  const hasRole = default_role === undefined || roles.some((role) => nameKey(role) === nameKey(default_role));
  const isLocal = (backend ?? file.backend) === 'local';
  return [
    ...(backend === undefined ? [] : checkBackendName([...path, 'backend'], backend, file)),
    ...(isLocal && repository === undefined ? [{ path: [...path, 'repository'], text: 'is missing' }] : []),
    ...(isLocal && template !== undefined
      ? [{ path: [...path, 'template'], text: 'has a meaning only for projects on Coder', onKey: true }]
      : []),
    ...(hasRole || !isLocal
      ? []
      : [
          {
            path: [...path, 'default_role'],
            text: `names no role: ${quote(default_role)}${suggestion(default_role, roles)}`,
          },
        ]),
    ...(Array.isArray(setup) && setup[0] === '' ? [{ path: [...path, 'setup', 0], text: NO_PROGRAM }] : []),
  ];
}

function checkRole(name: string, role: RoleConfig): ConfigProblem[] {
  const path = ['roles', name];
  const agent = role.agent ?? builtInRole(name)?.agent;
  const takesCommand = AGENT_KINDS_WITH_COMMAND.some((kind) => kind === agent);
  const problems: ConfigProblem[] = [];
  if (agent === undefined) {
    problems.push({
      path: [...path, 'agent'],
      text: 'is missing: say what runs, for example "agent: claude"',
    });
  } else if (takesCommand && role.command === undefined) {
    problems.push({
      path: [...path, 'command'],
      text: `is missing: the agent ${quote(agent)} needs a program to run`,
    });
  } else if (!takesCommand && role.command !== undefined) {
    const text = `has no meaning for the agent ${quote(agent)}: write "agent: command" or "agent: acp", or leave it out`;
    problems.push({ path: [...path, 'command'], text, onKey: true });
  }
  if (role.command?.[0] === '') {
    problems.push({ path: [...path, 'command', 0], text: NO_PROGRAM });
  }
  if (role.system_prompt !== undefined && role.system_prompt_file !== undefined) {
    const text = 'cannot be combined with system_prompt: remove one of them';
    problems.push({ path: [...path, 'system_prompt_file'], text, onKey: true });
  }
  return problems;
}

function checkServer(
  name: string,
  { command, url }: { command?: string | undefined; url?: string | undefined },
) {
  const path = ['mcpServers', name];
  if (command === undefined && url === undefined) {
    return [{ path, text: 'needs a "command" to start or a "url" to connect to', onKey: true }];
  }
  return command !== undefined && url !== undefined
    ? [{ path: [...path, 'url'], text: 'cannot be combined with command: remove one of them', onKey: true }]
    : [];
}
