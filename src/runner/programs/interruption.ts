/** Why a task is being ended from outside, as the reason of its abort signal, and how long each step of the ladder
 *  (SIGINT, SIGTERM, SIGKILL) waits for it. */
export class Interruption {
  readonly step_ms: number;

  constructor(step_ms = 5_000) {
    this.step_ms = step_ms;
  }
}

export function stepOf(signal: AbortSignal): number {
  return signal.reason instanceof Interruption ? signal.reason.step_ms : new Interruption().step_ms;
}
