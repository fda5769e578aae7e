import type { SessionProvider } from '../../config/model/session-schema.ts';

/** How to reach a model. The key is in no message and no file. */
export interface ModelSettings {
  readonly provider: SessionProvider;
  readonly url: string;
  /** Undefined: the first suitable model of the server. */
  readonly model: string | undefined;
  readonly api_key: string | undefined;
  /** The environment variable of the key, for messages. */
  readonly api_key_env: string | undefined;
  readonly think: boolean;
  /** How long the server may send nothing. */
  readonly silent_after_ms: number;
}
