import type { FactBody } from '../../domain/fact.ts';

/** A task that the fleet said it took. */
export interface AcceptedTask {
  readonly agent_name: string;
  readonly task_id: string;
  /** What its program writes down when it is started. */
  readonly mark: string;
}

/** What was promised to be seen, and what was seen. */
export interface Look {
  readonly what: string;
  readonly expected: string;
  readonly seen: string;
}

export interface Race {
  readonly what: string;
  /** `ok`, or the code of the error, of each caller. */
  readonly outcomes: readonly string[];
}

export interface AgentRecordOfDrill {
  readonly name: string;
  /** The ids of the tasks in its history, as the fleet showed it before the agent was deleted. */
  readonly history: readonly string[];
  /** Its journal, after all was over. */
  readonly facts: readonly FactBody[];
}

export interface Repetition {
  readonly key: string;
  /** The ids that calls with this key were answered. */
  readonly task_ids: readonly string[];
}

/** All that a drill has seen. What was promised is judged from this and nothing else. */
export interface Evidence {
  readonly accepted: readonly AcceptedTask[];
  /** One mark for each start of a task's program, in order. */
  readonly started: readonly string[];
  readonly looks: readonly Look[];
  readonly agentRaces: readonly Race[];
  readonly nameRaces: readonly Race[];
  /** The names of one list each. */
  readonly lists: readonly (readonly string[])[];
  readonly repetitions: readonly Repetition[];
  readonly agents: readonly AgentRecordOfDrill[];
  readonly processes: readonly { readonly when: string; readonly left: readonly number[] }[];
  /** Files of deleted agents, as they were and as the branch that was kept has them. */
  readonly kept: readonly Look[];
  /** Why the drill could not go on. */
  readonly failures: readonly string[];
}

type Writable<Value> = {
  -readonly [Key in keyof Value]: Value[Key] extends readonly (infer Each)[] ? Each[] : never;
};

/** Evidence that is still being gathered. */
export type Notebook = Writable<Evidence>;

export function emptyNotebook(): Notebook {
  return {
    accepted: [],
    started: [],
    looks: [],
    agentRaces: [],
    nameRaces: [],
    lists: [],
    repetitions: [],
    agents: [],
    processes: [],
    kept: [],
    failures: [],
  };
}
