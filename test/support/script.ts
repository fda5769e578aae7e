import type { Question } from '../../src/domain/approvals/approval.ts';

/** What an agent of the tests can be told to do, whatever drives it. */
export type Step =
  | { readonly say: string }
  | { readonly complain: string }
  | { readonly write: string; readonly content?: string }
  | { readonly append: string }
  | { readonly hold: string }
  | { readonly report: string; readonly uri?: string; readonly state?: string }
  | { readonly queue: string }
  | { readonly meta: string; readonly value: string }
  | { readonly ask: Question }
  | { readonly orphan: number }
  | { readonly ignore: readonly string[] }
  | { readonly exit: number };

/** A task's text for these steps. */
export function script(...steps: readonly Step[]): string {
  return JSON.stringify(steps);
}
