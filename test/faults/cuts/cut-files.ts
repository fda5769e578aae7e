import { join } from 'node:path';

/** What a cut process and its harness tell each other, as files beside the home of the fleet. */
export interface CutFiles {
  /** Moments count from when this is there. */
  readonly armed: string;
  /** Processes that only look have a moment too. */
  readonly looks: string;
  /** `ROLE POINT` or `ROLE what`: where to stop. Without it nothing is stopped. */
  readonly point: string;
  /** One line a moment: `ROLE POINT what`. */
  readonly trace: string;
  /** Says who is the first, second, … process of a role: its pid. */
  claim(role: string): string;
}

export function cutFiles(directory: string): CutFiles {
  return {
    armed: join(directory, 'armed'),
    looks: join(directory, 'looks'),
    point: join(directory, 'point'),
    trace: join(directory, 'trace'),
    claim: (role) => join(directory, `claim-${role}`),
  };
}

/** Where the files are, and what the process is: variables of a process that can be cut. */
export const CUT_DIRECTORY = 'FAULTS_DIRECTORY';
export const CUT_ROLE = 'FAULTS_ROLE';
