/** What a row may still wait for; a row without it must hold now. */
export const NOT_YET = [
  'Coder',
  'ACP agents',
  'Taskfile and pull requests',
  'convergence checks',
  'orchestrator',
  'dashboard',
] as const;

export type NotYet = (typeof NOT_YET)[number];

/** One promise of the source documents, in one sentence that a test can assert. */
export interface Requirement {
  readonly id: string;
  readonly source: string;
  readonly text: string;
  readonly waitsFor?: NotYet;
}
