import { nameKey } from '../../domain/values/agent-name.ts';
import type { FactBody } from '../../domain/fact.ts';
import type { Evidence, Look, Race } from './evidence.ts';

/** A promise, whether it held, and what that stands on. */
export interface Judgement {
  readonly promise: string;
  readonly held: boolean;
  /** How many cases it was judged from. */
  readonly cases: number;
  /** What did not hold. */
  readonly broken: readonly string[];
}

/** Judges every promise. One that nothing was seen of did not hold. */
export function judge(evidence: Evidence): readonly Judgement[] {
  return [
    judged('every request was answered as it should', evidence.accepted.length, evidence.failures),
    judged(
      'every accepted task ended exactly once',
      evidence.accepted.length,
      evidence.accepted.flatMap((task) => endedOnce(evidence, task)),
    ),
    judged('no task ran twice', evidence.started.length, ranTwice(evidence)),
    judged('a repeated request did nothing twice', evidence.repetitions.length, repeated(evidence)),
    judged(
      'the history is complete, and has nothing that was not asked for',
      evidence.agents.length,
      histories(evidence),
    ),
    judged('the next look was correct', evidence.looks.length, evidence.looks.flatMap(notAsExpected)),
    judged(
      'of all who wanted one agent, one got it',
      evidence.agentRaces.length,
      evidence.agentRaces.flatMap(wonByOne),
    ),
    judged('names are unique', evidence.nameRaces.length + evidence.lists.length, [
      ...evidence.nameRaces.flatMap(wonByOne),
      ...evidence.lists.flatMap(duplicates),
    ]),
    judged('work of deleted agents is kept', evidence.kept.length, evidence.kept.flatMap(notAsExpected)),
    judged(
      'no process was left behind',
      evidence.processes.length,
      evidence.processes.flatMap(({ when, left }) =>
        left.length === 0 ? [] : [`${when}: ${left.length} processes (${left.join(', ')})`],
      ),
    ),
  ];
}

function judged(promise: string, cases: number, broken: readonly string[]): Judgement {
  const nothing = cases === 0 && broken.length === 0;
  return {
    promise,
    held: cases > 0 && broken.length === 0,
    cases,
    broken: nothing ? ['the drill saw no case of it'] : broken,
  };
}

function endedOnce(
  evidence: Evidence,
  { agent_name, task_id, mark }: Evidence['accepted'][number],
): string[] {
  const ends = factsOf(evidence, agent_name).filter(
    (fact) => fact.kind === 'task.ended' && fact.task_id === task_id,
  );
  return ends.length === 1 ? [] : [`task ${mark} of ${agent_name} has ${ends.length} ends`];
}

/** By the marks that programs left, and by the journals. A task that completed must have run. */
function ranTwice({ started, accepted, agents }: Evidence): string[] {
  const times = (mark: string): number => started.filter((each) => each === mark).length;
  const complete = new Set(
    agents.flatMap(({ facts }) =>
      facts.flatMap((fact) =>
        fact.kind === 'task.ended' && fact.state === 'complete' ? [fact.task_id] : [],
      ),
    ),
  );
  const known = new Set(accepted.map(({ mark }) => mark));
  return [
    ...[...new Set(started)].flatMap((mark) => (times(mark) > 1 ? [`${mark} ran ${times(mark)} times`] : [])),
    ...[...new Set(started)].flatMap((mark) =>
      known.has(mark) ? [] : [`${mark} ran and was never accepted`],
    ),
    ...accepted.flatMap(({ mark, task_id }) =>
      complete.has(task_id) && times(mark) === 0 ? [`${mark} is said to be complete and never ran`] : [],
    ),
    ...agents.flatMap(({ name, facts }) => {
      const ids = facts.flatMap((fact) => (fact.kind === 'task.started' ? [fact.task_id] : []));
      return ids.length === new Set(ids).size ? [] : [`the journal of ${name} has a task that started twice`];
    }),
  ];
}

function repeated({ repetitions }: Evidence): string[] {
  return repetitions.flatMap(({ key, task_ids }) => {
    const different = new Set(task_ids).size;
    return different === 1 ? [] : [`the key ${key} made ${different} tasks`];
  });
}

function histories({ agents, accepted }: Evidence): string[] {
  return agents.flatMap(({ name, history }) => {
    const ids = accepted.filter(({ agent_name }) => agent_name === name).map(({ task_id }) => task_id);
    const missing = ids.filter((id) => !history.includes(id));
    const foreign = history.filter((id) => !ids.includes(id));
    return [
      ...missing.map((id) => `the history of ${name} lacks the task ${id}`),
      ...foreign.map((id) => `the history of ${name} has the task ${id}, which was never submitted`),
      ...(history.length === new Set(history).size ? [] : [`the history of ${name} has a task twice`]),
    ];
  });
}

function notAsExpected({ what, expected, seen }: Look): string[] {
  return seen === expected ? [] : [`${what}: ${seen} instead of ${expected}`];
}

function wonByOne({ what, outcomes }: Race): string[] {
  const won = outcomes.filter((outcome) => outcome === 'ok').length;
  const others = new Set(outcomes.filter((outcome) => outcome !== 'ok' && outcome !== 'CONFLICT'));
  return [
    ...(won === 1 ? [] : [`${what}: ${won} of ${outcomes.length} won`]),
    ...[...others].map((outcome) => `${what}: somebody got ${outcome} instead of CONFLICT`),
  ];
}

function duplicates(names: readonly string[]): string[] {
  const keys = names.map(nameKey);
  return keys.filter((key, index) => keys.indexOf(key) !== index).map((key) => `${key} is listed twice`);
}

function factsOf({ agents }: Evidence, agentName: string): readonly FactBody[] {
  return agents.find(({ name }) => name === agentName)?.facts ?? [];
}
