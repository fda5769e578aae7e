import type { Launch } from '../domain/launch.ts';
import type { LogLevel, LogType } from '../domain/task.ts';
import type { Question } from '../domain/approval.ts';
import type { Cell } from '../platform/cell.ts';
import type { Reply } from './questions.ts';

/** What a driver tells the runner while it works. */
export interface DriverSink {
  log(level: LogLevel, type: LogType, message: string): void;
  /** A sign of life that is no log entry. */
  progress(): void;
}

export interface DriverContext {
  readonly launch: Launch;
  /** The working directory of the agent. */
  readonly directory: string;
  /** The whole environment of the agent. */
  readonly env: Readonly<Record<string, string>>;
  /** What the agent sees of the fleet's own places; null when it is not contained. */
  readonly cell: Cell | null;
  readonly sink: DriverSink;
  /** Asks a person; what the role says for such a case counts as an answer. */
  ask(question: Question, signal: AbortSignal): Promise<Reply>;
}

export interface TaskOutcome {
  readonly state: 'complete' | 'failed';
  /** One sentence that says why. */
  readonly reason: string;
  readonly exit_code?: number;
}

/** A started agent. */
export interface DriverSession extends AsyncDisposable {
  /** Gives the agent one task and answers when it has ended and nothing that it started is left running.
   *  An aborted signal interrupts it, politely first; the promise still settles only when it is gone. */
  run(task: { readonly id: string; readonly message: string }, signal: AbortSignal): Promise<TaskOutcome>;
}

/** What agent runs. Knows nothing of where. */
export interface Driver {
  readonly kind: string;
  open(context: DriverContext): Promise<DriverSession>;
}
