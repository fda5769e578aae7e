import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentPlace } from './agent-problem.ts';
import { codingAgent, type CodingAgent, type Login } from './catalogue.ts';
import { FleetLogins } from './fleet-logins.ts';

/** Where the login of a coding agent comes from, and the variable or the file that has it. */
export interface LoginSource {
  readonly source: 'not needed' | 'variable' | 'file' | 'fleet';
  readonly name: string | null;
}

const SECRET = /_(API_KEY|AUTH_TOKEN|OAUTH_TOKEN)$/;

/** How an agent in this place is logged in, by what lies on this machine: no server is asked. What its own environment
 *  names comes first, then the login of the fleet, and for an agent without a sandbox that of the user. */
export function loginOf(
  { name, login }: CodingAgent,
  { home, env, sandboxed }: AgentPlace,
): LoginSource | undefined {
  if (login === null) return { source: 'not needed', name: null };
  const variable = login.variables.find((each) => (env[each] ?? '') !== '');
  if (variable !== undefined) return { source: 'variable', name: variable };
  const named = env[login.directory.variable] ?? '';
  if (named !== '') {
    const file = fileOf(login, named);
    if (file !== undefined) return { source: 'file', name: file };
  }
  if (login.token !== undefined && new FleetLogins(home).read(name) !== undefined)
    return { source: 'fleet', name: login.token };
  if (sandboxed || named !== '') return undefined;
  const file = fileOf(login, join(env['HOME'] ?? '', login.directory.otherwise));
  return file === undefined ? undefined : { source: 'file', name: file };
}

/** The variable that gives an agent the login of the fleet; none for one that is logged in otherwise. */
export function fleetLogin(agent: CodingAgent, place: AgentPlace): Readonly<Record<string, string>> {
  const found = loginOf(agent, place);
  const token = found?.source === 'fleet' ? new FleetLogins(place.home).read(agent.name) : undefined;
  return token === undefined || agent.login?.token === undefined ? {} : { [agent.login.token]: token };
}

/** What logs a coding agent in, of its whole environment: a login of its own kind, or keys of the models that it uses. */
export function loginSecrets(agent: string, env: Readonly<Record<string, string>>): readonly string[] {
  if (codingAgent(agent) === undefined) return [];
  return Object.entries(env).flatMap(([name, value]) => (SECRET.test(name) ? [value] : []));
}

function fileOf({ files }: Login, directory: string): string | undefined {
  return files
    .map((each) => ({ path: join(directory, each.file), word: each.with ?? '' }))
    .find(({ path, word }) => holds(path, word))?.path;
}

function holds(file: string, word: string): boolean {
  try {
    return existsSync(file) && readFileSync(file, 'utf8').includes(word);
  } catch {
    // A file that cannot be read is not a login.
    return false;
  }
}
