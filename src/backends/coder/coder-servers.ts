import { requireTrust, type LoadedConfig } from '../../config/config-source.ts';
import { FleetError } from '../../domain/values/errors.ts';
import { projectChecks, setupOf } from '../local/workspace/agent-checks.ts';
import type { CoderServer } from './client/coder-client.ts';
import type { NamedTemplate } from './coder-projects.ts';

/** The one Coder that needs no name: its address and token are in the environment. */
const OWN = 'coder';
const OWN_URL = 'CODER_URL';
const OWN_TOKEN = 'CODER_SESSION_TOKEN';

export interface ConfiguredCoder {
  readonly name: string;
  readonly templates: readonly NamedTemplate[];
  /** Throws while it is not known, or the configuration is not trusted: a token is not sent wherever a file says. */
  server(): CoderServer;
}

/** The Coder servers that a configuration uses, and the templates that it names of each. */
export function coderServers(loaded: LoadedConfig, env: NodeJS.ProcessEnv): readonly ConfiguredCoder[] {
  const { config } = loaded;
  const used = new Set([config.backend, ...Object.values(config.projects).map(({ backend }) => backend)]);
  const names = [...(used.has(OWN) ? [OWN] : []), ...Object.keys(config.backends)];
  return names.map((name) => ({
    name,
    templates: Object.entries(config.projects)
      .filter(([, project]) => project.backend === name)
      .map(([project, { template, description, default_role, ...rest }]) => ({
        name: project,
        template: template ?? project,
        description,
        default_role,
        check_plan: { checks: projectChecks(rest), setup: setupOf(rest), copy: rest.copy ?? [] },
      })),
    server: () => {
      requireTrust(loaded);
      const named = config.backends[name];
      return {
        url: named?.url ?? needed(env, OWN_URL, name),
        token: needed(env, named?.token_env ?? OWN_TOKEN, name),
        token_env: named?.token_env ?? OWN_TOKEN,
      };
    },
  }));
}

function needed(env: NodeJS.ProcessEnv, variable: string, backend: string): string {
  const value = env[variable]?.trim() ?? '';
  if (variable === OWN_URL && value !== '' && !URL.canParse(value)) {
    throw new FleetError(
      'INVALID_INPUT',
      `${OWN_URL} is not a web address: it must start with https:// or http://.`,
      {
        field: OWN_URL,
      },
    );
  }
  if (value !== '') return value;
  throw new FleetError(
    'UNAUTHORIZED',
    `The backend "${backend}" needs the environment variable ${variable}, which is not set. fleet coder setup says how to get a token.`,
    { field: variable, reason: 'coder_token' },
  );
}
