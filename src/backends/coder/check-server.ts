import { z } from 'zod';
import type { Check, Finding } from '../../domain/check.ts';
import { toFleetError } from '../../domain/values/errors.ts';
import type { CoderBackend } from './coder-backend.ts';
import { restartsAtomically, serverVersion } from './server-features.ts';
import { workspacesSchema } from './model/workspace-schema.ts';

/** The least scopes with which everything works. */
export const TOKEN_SCOPES = [
  'coder:workspaces.create',
  'coder:workspaces.operate',
  'coder:workspaces.delete',
  'coder:workspaces.access',
  'user:read',
] as const;

const ALL_SCOPES = ['all', 'coder:all'];
const tokensSchema = z.array(
  z.object({
    id: z.string(),
    expires_at: z.string(),
    scopes: z.array(z.string()).nullish(),
    scope: z.string().nullish(),
  }),
);
const DAY_MS = 86_400_000;

/** Looks at a Coder server, at the token, and at what of it is a project. */
export async function checkServer(backend: CoderBackend): Promise<readonly Check[]> {
  const name = backend.name === 'coder' ? 'coder' : `coder ${backend.name}`;
  const looks = [
    ['server', () => serverFinding(backend)],
    ['token', () => tokenFinding(backend)],
    ['workspaces', () => workspacesFinding(backend)],
  ] as const;
  const findings: Check[] = [];
  for (const [what, look] of looks) {
    try {
      findings.push({ name: `${name} ${what}`, ...(await look()) });
    } catch (thrown) {
      findings.push({ name: `${name} ${what}`, state: 'fail', message: toFleetError(thrown).message });
      return findings;
    }
  }
  return [...findings, ...(await templateFindings(backend, name))];
}

async function serverFinding({ context: { client } }: CoderBackend): Promise<Finding> {
  const version = await serverVersion(client);
  const message = `${client.server.url} is Coder ${version}`;
  if (await restartsAtomically(client)) return { state: 'ok', message };
  return {
    state: 'warn',
    message: `${message}: it restarts a workspace in two steps, so a workspace stays stopped if the process dies in between`,
    fix: 'Coder 2.36 or newer restarts in one step',
  };
}

async function tokenFinding({ context: { client } }: CoderBackend): Promise<Finding> {
  const { token, token_env } = client.server;
  const how = `make one with the scopes ${TOKEN_SCOPES.join(', ')} and set ${token_env} (docs/coder.md)`;
  await client.ask('/users/me', z.object({ username: z.string() }));
  const own = await ownToken(client, token);
  if (own === undefined)
    return { state: 'ok', message: `the token in ${token_env} is valid; its scopes are unknown` };
  const scopes = own.scopes ?? [own.scope ?? 'all'];
  const missing = TOKEN_SCOPES.filter((scope) => !scopes.includes(scope));
  const days = Math.floor((Date.parse(own.expires_at) - Date.now()) / DAY_MS);
  const until = `valid for ${days} more days`;
  if (scopes.some((scope) => ALL_SCOPES.includes(scope)))
    return { state: 'warn', message: `the token in ${token_env} may do everything; ${until}`, fix: how };
  if (missing.length > 0)
    return { state: 'fail', message: `the token in ${token_env} lacks ${missing.join(', ')}`, fix: how };
  return { state: 'ok', message: `the token in ${token_env} has the scopes it needs; ${until}` };
}

/** A token begins with its id. One that may not read tokens does not say what it may do. */
async function ownToken(client: CoderBackend['context']['client'], token: string) {
  try {
    const tokens = await client.ask('/users/me/keys/tokens', tokensSchema);
    return tokens.find(({ id }) => token.startsWith(`${id}-`));
  } catch {
    return undefined;
  }
}

async function workspacesFinding({ context: { client } }: CoderBackend): Promise<Finding> {
  const { count } = await client.ask('/workspaces?q=owner%3Ame&limit=1', workspacesSchema);
  return { state: 'ok', message: `${count} workspaces of this user can be seen` };
}

async function templateFindings(backend: CoderBackend, name: string): Promise<readonly Check[]> {
  const projects = await backend.coderProjects.all();
  const unusable = await backend.coderProjects.unusable();
  const none: readonly Check[] =
    projects.length > 0
      ? []
      : [
          {
            name: `${name} templates`,
            state: 'warn',
            message: 'no template can be driven',
            fix: 'fleet coder setup --template docker pushes one',
          },
        ];
  const walls: readonly Check[] =
    projects.length === 0
      ? []
      : [
          {
            name: `${name} isolation`,
            state: 'ok',
            message:
              'agents run in their workspaces without a sandbox of Fleet: the workspace is what separates them (docs/coder.md)',
          },
        ];
  return [
    ...none,
    ...walls,
    ...projects.map(({ name: project, template_name }): Check => ({
      name: `${name} project ${project}`,
      state: 'ok',
      message: `the template ${template_name}`,
    })),
    ...unusable.map(({ template, why }): Check => ({
      name: `${name} template ${template}`,
      state: 'ok',
      message: `is not a project: ${why}`,
    })),
  ];
}
