/** A check of continuous integration that failed. */
export interface FailedCheck {
  readonly name: string;
  readonly url: string | null;
  /** The end of its log, or what else the forge says of it. */
  readonly output: string;
}

/** A comment of a review that is not resolved, by a person who may write to the repository. */
export interface Remark {
  readonly id: string;
  readonly author: string;
  readonly path: string | null;
  readonly line: number | null;
  readonly text: string;
}

/** What a pull request got from outside. */
export interface Feedback {
  readonly commit: string;
  /** True while a check is not done. */
  readonly pending: boolean;
  readonly failed: readonly FailedCheck[];
  readonly remarks: readonly Remark[];
}

/** What of it was given to the agent. */
export interface FeedbackState {
  /** The newest set of failures; null before the first. */
  readonly failures: string | null;
  /** Sets of failures in a row that became a task. */
  readonly tries: number;
  /** Ids of remarks. */
  readonly remarks: readonly string[];
}

export const NO_FEEDBACK: FeedbackState = { failures: null, tries: 0, remarks: [] };

export const MOST_TRIES = 3;
const MOST_REMARKS = 2_000;

export interface FeedbackStep {
  /** `task`: for the agent; `attention`: a person has to look; `none`: there is nothing new. */
  readonly kind: 'none' | 'task' | 'attention';
  /** What is new. */
  readonly failed: readonly FailedCheck[];
  readonly remarks: readonly Remark[];
  readonly state: FeedbackState;
}

/** What to do about the feedback of a pull request. Each set of failures of a commit, and each remark, is given once. After
 *  three sets in a row a person is asked; checks that pass, and a new remark of a person, begin the count again. */
export function feedbackStep(feedback: Feedback, before: FeedbackState): FeedbackStep {
  const remarks = feedback.remarks.filter(({ id }) => !before.remarks.includes(id));
  const failures = failuresOf(feedback);
  const fresh = failures !== null && failures !== before.failures;
  if (!fresh && remarks.length === 0) {
    const passing = !feedback.pending && feedback.failed.length === 0;
    return { kind: 'none', failed: [], remarks: [], state: passing ? { ...before, tries: 0 } : before };
  }
  const failed = fresh ? feedback.failed : [];
  const tries = remarks.length > 0 ? 0 : before.tries;
  const state: FeedbackState = {
    failures: fresh ? failures : before.failures,
    tries: fresh ? Math.min(tries + 1, MOST_TRIES) : tries,
    remarks: [...before.remarks, ...remarks.map(({ id }) => id)].slice(-MOST_REMARKS),
  };
  const kind = fresh && tries >= MOST_TRIES ? 'attention' : 'task';
  return { kind, failed, remarks, state };
}

/** What a set of failures is known by; null while checks run, because more may fail. */
function failuresOf({ commit, pending, failed }: Feedback): string | null {
  if (pending || failed.length === 0) return null;
  return [commit, ...failed.map(({ name }) => name).toSorted()].join('\n');
}
