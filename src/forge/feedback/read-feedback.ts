import type { Feedback } from '../../domain/review/ci-feedback.ts';
import type { ForgeApi } from '../forge-api.ts';
import type { Target } from '../pull-request-target.ts';
import { giteaFeedback } from './gitea-feedback.ts';
import { githubFeedback } from './github-feedback.ts';
import { gitlabFeedback } from './gitlab-feedback.ts';

/** Asks a forge what failed at a pull request, and what people who may write to the repository have asked for in comments
 *  that are not resolved. Throws a ForgeProblem. */
export function readFeedback(api: ForgeApi, target: Target, signal: AbortSignal): Promise<Feedback> {
  switch (target.forge.type) {
    case 'github':
      return githubFeedback(api, target, signal);
    case 'gitlab':
      return gitlabFeedback(api, target, signal);
    case 'gitea':
      return giteaFeedback(api, target, signal);
  }
}
