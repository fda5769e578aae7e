import type { BudgetUse } from '../../domain/budget.ts';
import type { LogDetail } from '../../domain/conversation/log-detail.ts';
import type { DriverFact } from '../../domain/fact.ts';
import type { Launch } from '../../domain/launch.ts';
import type { LogLevel, LogType } from '../../domain/task.ts';
import type { Question } from '../../domain/approvals/approval.ts';
import type { Cell } from '../../platform/processes/cell.ts';
import type { Reply } from './questions.ts';

/** What a driver tells the runner while it works. */
export interface DriverSink {
  /** `detail` says what the entry is in the conversation; without it, it is a plain line. */
  log(level: LogLevel, type: LogType, message: string, detail?: LogDetail): void;
  /** A sign of life that is not a log entry. */
  progress(): void;
  fact(fact: DriverFact): void;
}

/** The account that an agent uses. When its quota is used up, all agents of that account wait. */
export interface Account {
  /** Resolves when there is quota, or the signal aborts. */
  free(signal: AbortSignal): Promise<void>;
  /** `until`: when the quota is there again; null when only a person can say. */
  park(reason: string, until: number | null): void;
  /** The word of a person: there is quota again. */
  release(): void;
}

/** An MCP server that an agent starts for itself. */
export interface StartedServer {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** An MCP server that an agent reaches over HTTP. */
export interface ReachedServer {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type InjectedServer = StartedServer | ReachedServer;

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
  /** True while a question is open. */
  asks(): boolean;
  /** The session from before; null for an agent that has none yet. */
  readonly session: string | null;
  readonly servers: readonly InjectedServer[];
  readonly account: Account;
  /** What the running task used so far. */
  spent(): BudgetUse;
  /** Changes with every sign of life. */
  lastSign(): number;
}

export interface TaskOutcome {
  /** `interrupted`: its runner died. */
  readonly state: 'complete' | 'failed' | 'interrupted';
  /** One sentence that says why. */
  readonly reason: string;
  readonly exit_code?: number;
  /** What the agent said or printed last. */
  readonly output?: string;
  /** What the task used, when that was more than its budget. */
  readonly over_budget?: BudgetUse;
}

export interface DriverTask {
  readonly id: string;
  readonly message: string;
  /** True when its runner died, and it goes on. */
  readonly resumed: boolean;
}

/** A started agent. */
export interface DriverSession extends AsyncDisposable {
  /** Gives the agent one task and answers when it has ended and nothing that it started is left running.
   *  An aborted signal interrupts it, politely first; the promise still settles only when it is gone. */
  run(task: DriverTask, signal: AbortSignal): Promise<TaskOutcome>;
}

/** What agent runs. Knows nothing of where. */
export interface Driver {
  readonly kind: string;
  open(context: DriverContext): Promise<DriverSession>;
}
