/** Waits without letting anything else run, where an answer cannot wait for the event loop. */
export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
