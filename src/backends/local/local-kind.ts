import { once } from '../../platform/once.ts';
import type { BackendKind } from '../backend-kind.ts';
import { LocalBackend } from './local-backend.ts';

/** This machine: always there, whatever the configuration says. */
export const localKind: BackendKind = {
  open: ({ home, env, source }, { store, clock }) => {
    const projects = once(async () => {
      const [{ LocalProjects }, config] = await Promise.all([import('./local-projects.ts'), source()]);
      return new LocalProjects({ home, config, env });
    });
    const local = new LocalBackend({ home, store, clock, projects });
    return {
      backends: async () => [local],
      load: async () => {
        await Promise.all([
          projects(),
          local.upkeep.load(),
          local.merging(),
          import('./background/follow-landing.ts'),
          import('./merge/finish-landings.ts'),
          import('./watch/merge-watch.ts'),
        ]);
      },
    };
  },
  checks: async ({ home, loaded }) => {
    const { localChecks } = await import('./doctor/local-checks.ts');
    return localChecks(home, loaded);
  },
};
