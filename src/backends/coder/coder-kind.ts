import { mentionsBackend } from '../../config/mentions-backend.ts';
import type { Backend } from '../backend.ts';
import type { BackendKind, BackendPlace, CheckPlace } from '../backend-kind.ts';

/** The Coder servers that the configuration names. Nothing of Coder is loaded without one. */
export const coderKind: BackendKind = {
  open: (place, { store, clock }) => {
    let last: { readonly hash: string; readonly backends: readonly Backend[] } | undefined;
    return {
      backends: async () => {
        if (!isMentioned(place)) return [];
        const loaded = (await place.source()).current();
        if (last?.hash === loaded.hash) return last.backends;
        const [{ CoderBackend }, { coderServers }] = await Promise.all([
          import('./coder-backend.ts'),
          import('./coder-servers.ts'),
        ]);
        const { home } = place;
        const backends = coderServers(loaded, place.env).map(
          (each) => new CoderBackend({ ...each, home, store, clock }),
        );
        last = { hash: loaded.hash, backends };
        return backends;
      },
    };
  },
  checks: async (place) => {
    if (!isMentioned(place)) return [];
    const [{ CoderBackend }, { checkServer }] = await Promise.all([
      import('./coder-backend.ts'),
      import('./check-server.ts'),
    ]);
    const servers = (await place.backends()).filter((each) => each instanceof CoderBackend);
    return (await Promise.all(servers.map(checkServer))).flat();
  },
};

function isMentioned({ config: flag, env, cwd }: BackendPlace | CheckPlace): boolean {
  return mentionsBackend('coder', { flag, env, cwd });
}
