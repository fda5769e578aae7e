import type { ConfigSource, LoadedConfig } from '../config/config-source.ts';
import type { Check } from '../domain/check.ts';
import type { Clock } from '../domain/clock.ts';
import type { Store } from '../store/store.ts';
import type { Backend } from './backend.ts';

interface Place {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The value of --config. */
  readonly config?: string | undefined;
}

export interface BackendPlace extends Place {
  /** Loads the libraries that read a configuration, which cost more than the rest of a `fleet list`. */
  source(): Promise<ConfigSource>;
}

export interface CheckPlace extends Place {
  /** Undefined when it cannot be used. */
  readonly loaded: LoadedConfig | undefined;
  /** Opens the fleet for its backends of this kind; throws when that is not possible. */
  backends(): Promise<readonly Backend[]>;
}

export interface OpenedKind {
  /** Its backends as the configuration is now; throws when they cannot be known. */
  backends(): Promise<readonly Backend[]>;
  /** Loads code that is otherwise loaded when it is first needed: an upgrade may remove its files under a server. */
  load?(): Promise<void>;
}

/** A kind of backend, as the table of backends has it. Code that most commands do not need is loaded lazily. */
export interface BackendKind {
  open(place: BackendPlace, parts: { readonly store: Store; readonly clock: Clock }): OpenedKind;
  /** For `fleet doctor`, which also works where the fleet or its configuration cannot be opened. */
  checks?(place: CheckPlace): Promise<readonly Check[]>;
}
