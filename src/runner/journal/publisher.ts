import type { GitFacts } from '../../domain/agent.ts';
import { changesOf, type Change } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import { pullRequestOf, type PullRequest } from '../../domain/metadata/pull-request.ts';
import { EMPTY_STATE, fold, type AgentState } from '../../domain/state.ts';
import { deriveStatus, type Instant } from '../../domain/status.ts';
import type { ListedFields } from '../../domain/metadata/taskfile-metadata.ts';
import type { JournalReader } from './journal-reader.ts';

export interface Summary {
  readonly state: AgentState;
  readonly progress: Instant | undefined;
  readonly git: GitFacts | null;
  readonly pull_request: PullRequest | null;
  /** What a list shows of the agent's Taskfile. */
  readonly listed: ListedFields;
}

/** Where a runner tells the rest of the fleet what changed: the store here, app statuses on Coder. */
export interface Publisher {
  /** The state that was published last; undefined when nothing was. */
  published(): AgentState | undefined;
  /** Replaces the summary and adds the changes, once each whatever is repeated. False, and nothing done, when
   *  `published` has another answer by now: the store was replaced. */
  publish(summary: Summary, changes: readonly Change[]): boolean;
}

export interface JournalToPublish {
  readonly journal: JournalReader;
  readonly publisher: Publisher;
  readonly clock: Clock;
}

/** Publishes the facts of the journal that were not published yet, and after them changes that are not facts. */
export function publishJournal(
  { journal, publisher, clock }: JournalToPublish,
  others: readonly Change[] = [],
): void {
  const now = clock.now();
  const progress = journal.progress();
  const observed = progress === undefined ? {} : { progress };
  const changesSince = (published: AgentState): readonly Change[] => {
    let state = published;
    return journal.factsAfter(state.seq).flatMap((fact) => {
      const before = deriveStatus(state, observed, now);
      state = fold(state, fact);
      return changesOf(fact, before, deriveStatus(state, observed, now));
    });
  };
  let isPublished = false;
  while (!isPublished)
    isPublished = publisher.publish(summaryOf(journal), [
      ...changesSince(publisher.published() ?? EMPTY_STATE),
      ...others,
    ]);
}

export function summaryOf(journal: JournalReader): Summary {
  return {
    state: journal.state(),
    progress: journal.progress(),
    git: journal.git(),
    pull_request: pullRequestOf(journal.metadata()),
    listed: journal.listed(),
  };
}
