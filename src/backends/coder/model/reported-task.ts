import type { RunningTask } from '../../../domain/state.ts';

/** A task of which only an app status says that it runs. */
export function reportedTask({ id, message, at }: { id: string; message: string; at: number }): RunningTask {
  return {
    id,
    message,
    started_at: new Date(at).toISOString(),
    started: { at, awake_ms: 0, boot: '' },
    cancel_requested: false,
    acknowledged: null,
    resumed: 0,
    trouble: null,
  };
}
