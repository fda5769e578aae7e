import type { CoderBackend } from '../../backends/coder/coder-backend.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';

/** The Coder servers that the configuration uses now. */
export async function coderBackends(opened: OpenedFleet): Promise<readonly CoderBackend[]> {
  const backends = await opened.backendsOf('coder');
  if (backends.length === 0) return [];
  const { CoderBackend } = await import('../../backends/coder/coder-backend.ts');
  return backends.filter((each) => each instanceof CoderBackend);
}

/** The Coder that is meant: the one that was named, or the only one. */
export function coderBackendOf(backends: readonly CoderBackend[], name: string | undefined): CoderBackend {
  const [only, ...others] = name === undefined ? backends : backends.filter((each) => each.name === name);
  if (only !== undefined && others.length === 0) return only;
  const known = backends.map((each) => each.name);
  const which =
    known.length === 0
      ? 'The configuration uses no Coder: write "backend: coder" into it.'
      : `${name === undefined ? 'Choose one with --backend' : `There is no backend ${quote(name)}`}: ${known.join(', ')}.`;
  throw new FleetError('INVALID_INPUT', which, { field: 'backend' });
}
