import { git } from '../../seeds/on-this-machine.ts';
import type { Answer } from '../../support/fleets/fleet-under-test.ts';
import { journalsOf, type JournalOfStage } from '../journals.ts';
import type { Stage } from '../stage.ts';
import { keyOfTask } from '../task-text.ts';
import { describeDecision, keyOf, type Answered } from './chaos-notes.ts';

/** What callers were told must have happened, once. */
export function answerProblems({ home }: Stage, told: readonly Answered[]): string[] {
  const accepted = journalsOf(home).flatMap(({ facts }) =>
    facts.flatMap(({ body }) => (body.kind === 'task.accepted' ? [keyOfTask(body.message) ?? ''] : [])),
  );
  return told.flatMap(({ decision, outcomes }) => {
    const times = accepted.filter((key) => key === keyOf(decision)).length;
    const ids = outcomes.flatMap((outcome) => (outcome.kind === 'answered' ? [idOf(outcome.answer)] : []));
    const gave = ['create', 'task', 'queue', 'interrupt'].includes(decision.action);
    return [
      ...(times > 1 ? [`its task was accepted ${times} times`] : []),
      ...(gave && ids.length > 0 && times !== 1 ? ['it was answered, and its task is nowhere'] : []),
      ...(gave && new Set(ids).size > 1 ? [`it was answered ${ids.join(' and ')}`] : []),
      ...outcomes.flatMap((outcome) =>
        outcome.kind === 'failed' && outcome.code === 'INTERNAL_ERROR'
          ? [`it met a defect: ${outcome.message}`]
          : [],
      ),
    ].map((problem) => `${describeDecision(decision)}: ${problem}`);
  });
}

/** What a task that is complete wrote is on the branch on which the work of its agent was kept. */
export function keptProblems({ home, repository }: Stage): string[] {
  return journalsOf(home)
    .filter(({ archived }) => archived)
    .flatMap((journal) => {
      const done = completeIn(journal);
      if (done.length === 0) return [];
      const [created] = journal.facts;
      const name = created?.body.kind === 'agent.created' ? created.body.name : '';
      const kept = filesOf(repository, `fleet-kept/${name}/${journal.workspace_id}`);
      const missing = done.filter((key) => !kept.includes(`work-${key}.txt`));
      return missing.map((key) => `the work of task ${key} of ${name} was not kept`);
    });
}

function completeIn({ history }: JournalOfStage): string[] {
  return history.flatMap((row) =>
    row.kind === 'task' && row.state === 'complete' ? [keyOfTask(row.message) ?? ''] : [],
  );
}

function filesOf(repository: string, branch: string): string[] {
  try {
    return git(repository, 'ls-tree', '--name-only', branch).split('\n');
  } catch {
    return [];
  }
}

function idOf(answer: Answer): unknown {
  const { agent, task } = answer as { agent?: Answer; task?: Answer };
  return agent?.['workspace_id'] ?? task?.['id'];
}
