/** A signal that is aborted with any of the others, until it is disposed. `AbortSignal.any` would leave something behind
 *  in one that lives long, each time. */
export function joinSignals(
  ...signals: readonly AbortSignal[]
): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const abort = ({ target }: Event): void => controller.abort(reasonOf(target));
  for (const each of signals) {
    if (each.aborted) controller.abort(each.reason);
    else each.addEventListener('abort', abort, { once: true });
  }
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const each of signals) each.removeEventListener('abort', abort);
    },
  };
}

function reasonOf(target: EventTarget | null): unknown {
  return target instanceof AbortSignal ? target.reason : undefined;
}
