import type { DriverContext } from '../programs/driver.ts';

/** How long a turn may be silent with no tool at work and no question open. */
const SILENCE_LIMIT_MS = 5 * 60_000;

export interface SilenceWatch {
  readonly signal: AbortSignal;
  readonly limit_ms: number;
  stop(): void;
}

/** Ends a turn in which nothing happens: some agents lose the answer to a prompt. */
export function watchSilence(
  { lastSign, asks, launch }: DriverContext,
  isWorking: () => boolean,
): SilenceWatch {
  const limit_ms = launch.silence_limit_ms ?? SILENCE_LIMIT_MS;
  const silent = new AbortController();
  let since = performance.now();
  let sign = lastSign();
  const timer = setInterval(
    () => {
      const now = lastSign();
      if (now !== sign || isWorking() || asks()) {
        sign = now;
        since = performance.now();
      } else if (performance.now() - since > limit_ms) silent.abort();
    },
    Math.min(1_000, limit_ms / 4),
  );
  return { signal: silent.signal, limit_ms, stop: () => clearInterval(timer) };
}
