import type { Call, Interface, Outcome } from './interfaces.ts';
import type { Stage, StageOptions } from './stage.ts';

/** One operation of the fleet, and what must hold when somebody was stopped on the way. */
export interface Scenario {
  readonly name: string;
  /** Who calls it, to be stopped: the command, the server, or neither but a runner or a program. */
  readonly interfaces: readonly Interface[];
  readonly stage?: StageOptions;
  /** The one kind of process to stop, when the others are stopped elsewhere. */
  readonly only?: string;
  /** Moments count before the caller is started, not only from its call on. */
  readonly fromStart?: boolean;
  /** Brings the fleet to where the operation starts from. */
  setUp(stage: Stage): Promise<void>;
  call(stage: Stage): Call;
  /** Lets held tasks end as soon as the call was answered. */
  readonly release?: boolean;
  /** When all that the call set going is over, as the files tell. */
  over(stage: Stage): boolean;
  /** What is wrong once all is quiet again. */
  verify(stage: Stage, seen: Seen): Promise<string[]>;
}

export interface Seen {
  readonly through: Interface;
  readonly first: Outcome;
  /** The same call once more, by somebody who is not stopped. */
  readonly again: Outcome;
}
