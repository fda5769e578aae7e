import { useEffect, useState } from 'preact/hooks';

/** A value that components follow. */
export class Observable<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export function useObservable<Value>(observable: Observable<Value>): Value {
  const [, again] = useState<object>();
  useEffect(() => {
    // It may have changed between the first rendering and this effect.
    again({});
    return observable.subscribe(() => again({}));
  }, [observable]);
  return observable.value;
}
