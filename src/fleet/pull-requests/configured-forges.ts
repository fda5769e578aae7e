import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { LoadedConfig } from '../../config/config-source.ts';
import type { Forge } from '../../forge/forge.ts';

const GH_LIMIT_MS = 2_000;
/** A server lives longer than a login. */
const GH_AGAIN_MS = 300_000;

/** The forges that the configuration allows, with their tokens. One that nobody trusts allows none: it could send a
 *  token anywhere. */
export async function configuredForges(
  { trusted, config }: Pick<LoadedConfig, 'trusted' | 'config'>,
  env: NodeJS.ProcessEnv,
): Promise<readonly Forge[]> {
  if (!trusted) return [];
  return await Promise.all(
    Object.entries(config.forges).map(async ([host, { type, url, token_env }]) => {
      const address = (url ?? `https://${host}`).replace(/\/+$/, '');
      const asksGh = type === 'github' && token_env === undefined;
      const given = token_env === undefined ? undefined : env[token_env];
      const token = asksGh ? await tokenOfGh(new URL(address).host, env) : given || null;
      return { type, url: address, token };
    }),
  );
}

const asked = new Map<string, { readonly at: number; readonly token: Promise<string | null> }>();

/** What `gh` is logged in with; asked now and then by each process. */
function tokenOfGh(host: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const known = asked.get(host);
  if (known !== undefined && performance.now() - known.at < GH_AGAIN_MS) return known.token;
  const token = promisify(execFile)('gh', ['auth', 'token', '--hostname', host], {
    env,
    timeout: GH_LIMIT_MS,
  }).then(
    ({ stdout }) => stdout.trim() || null,
    () => null,
  );
  asked.set(host, { at: performance.now(), token });
  return token;
}
