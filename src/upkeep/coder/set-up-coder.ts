import { CoderBackend } from '../../backends/coder/coder-backend.ts';
import { coderServers } from '../../backends/coder/coder-servers.ts';
import { openStore } from '../../backends/local/records/open-store.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';
import { systemClock } from '../../platform/clock.ts';
import { coderBackendOf, coderBackends } from './coder-backend-of.ts';

export { checkServer } from '../../backends/coder/check-server.ts';
export {
  ourTemplate,
  TEMPLATE_KINDS,
  type TemplateKind,
} from '../../backends/coder/templates/our-templates.ts';
export { pushTemplate } from '../../backends/coder/templates/push-template.ts';
export type { CoderBackend };

/** The Coder that is meant. Before there is a configuration, the environment says which. */
export async function openCoder(
  opened: OpenedFleet,
  { env, name }: { readonly env: NodeJS.ProcessEnv; readonly name: string | undefined },
): Promise<CoderBackend> {
  const configured = await coderBackends(opened);
  if (configured.length > 0 || name !== undefined) return coderBackendOf(configured, name);
  const loaded = (await opened.config()).current();
  const [own] = coderServers(
    { ...loaded, trusted: true, config: { ...loaded.config, backend: 'coder', projects: {}, backends: {} } },
    env,
  );
  if (own === undefined) throw new Error('there is always a Coder of the environment');
  return new CoderBackend({ ...own, home: opened.home, store: openStore(opened.home), clock: systemClock });
}
