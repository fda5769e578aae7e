import type { JsonObject } from '../../wire/json-rpc.ts';
import type { Offers } from './offers.ts';
import type { Era } from './protocol.ts';

export type ConnectionStatus = 'disconnected' | 'connecting' | 'connected' | 'ready' | 'error';

/** How one upstream server is at this moment, and what it offers, or offered when it was last there. */
export interface McpConnection extends Offers {
  readonly serverName: string;
  readonly status: ConnectionStatus;
  /** False when it did not come, or did not come back: then nothing of what it had is offered. */
  readonly offered: boolean;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
  readonly era?: Era;
  readonly error?: string;
  /** Of the last check that it passed. */
  readonly lastHealthCheck?: string;
  readonly pid?: number;
  readonly calls: CallStatistics;
}

/** Of calls of tools, since the host of the server was started. */
export interface CallStatistics {
  readonly count: number;
  /** How many of them failed. */
  readonly errors: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

export const NO_CALLS: CallStatistics = { count: 0, errors: 0, p50_ms: null, p95_ms: null };

export interface UpstreamLimits {
  /** How long the probe of the new protocol is waited for before the old handshake is sent as well. */
  readonly probe_ms: number;
  /** A call without an answer or progress for this long is canceled. */
  readonly call_ms: number;
  readonly max_ms: number;
  /** Before the one repetition of a call that is safe to repeat. */
  readonly repeat_ms: number;
  readonly backoff_ms: number;
  readonly max_backoff_ms: number;
  /** A connection that held for this long was a good one. */
  readonly stable_ms: number;
  /** Failures in a row after which nobody waits for the next try. */
  readonly failures_before_backoff: number;
  readonly check_ms: number;
  readonly lost_ms: number;
  readonly health_ms: number;
  readonly refresh_ms: number;
}

export const LIMITS: UpstreamLimits = {
  probe_ms: 2_000,
  call_ms: 30_000,
  max_ms: 600_000,
  repeat_ms: 3_000,
  backoff_ms: 250,
  max_backoff_ms: 30_000,
  stable_ms: 10_000,
  failures_before_backoff: 3,
  check_ms: 5_000,
  lost_ms: 4_000,
  health_ms: 800,
  refresh_ms: 200,
};
