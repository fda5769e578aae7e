import type { BackendKind } from '../backends/backend-kind.ts';
import { coderKind } from '../backends/coder/coder-kind.ts';
import { localKind } from '../backends/local/local-kind.ts';
import type { BackendName } from '../config/config-schema.ts';

/** Every kind of backend, by its name in the configuration, in the order in which agents are looked up. */
export const BACKENDS = { local: localKind, coder: coderKind } satisfies Readonly<
  Record<BackendName, BackendKind>
>;
