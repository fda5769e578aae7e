import type { Store } from '../../../store/store.ts';

export interface Waiting {
  readonly signal: AbortSignal;
  progress(message: string): void;
}

/** How long a caller waits for what goes on without it. */
const ANSWER_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 500;

/** Waits for what another process does, as the store shows it, and passes on what is said of it. */
export async function waitInStore(
  store: Store,
  { signal, progress }: Waiting,
  { isDone, said }: { isDone(): Promise<boolean>; said(): string | undefined },
): Promise<void> {
  const until = performance.now() + ANSWER_WITHIN_MS;
  let last: string | undefined;
  while (!(await isDone()) && performance.now() < until && !signal.aborted) {
    const now = said();
    if (now !== undefined && now !== last) progress(now);
    last = now;
    await store.changed(LOOK_EVERY_MS, signal).catch(() => {});
  }
}
