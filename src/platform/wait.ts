export interface WaitOptions {
  /** Ends the wait with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** False: a process that does nothing else may end. */
  readonly ref?: boolean;
}

/** Waits by the global timers, which tests replace by a manual clock; those of `node:timers/promises` cannot be replaced. */
export function wait(ms: number, { signal, ref = true }: WaitOptions = {}): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
  const stop = (): void => {
    clearTimeout(timer);
    reject(signal?.reason as Error);
  };
  const timer = setTimeout(() => {
    signal?.removeEventListener('abort', stop);
    resolve();
  }, ms);
  if (!ref) timer.unref();
  signal?.addEventListener('abort', stop, { once: true });
  return promise;
}
