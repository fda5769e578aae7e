import type { ReviewComment } from '../../domain/review/review-comment.ts';

/** Where the comments of a review are until it is sent. */
export interface ReviewDrafts {
  of(workspace_id: string): readonly ReviewComment[];
  add(workspace_id: string, comment: ReviewComment): void;
  remove(workspace_id: string, id: string): boolean;
}
