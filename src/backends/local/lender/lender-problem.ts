import { existsSync } from 'node:fs';

/** Why a repository cannot be looked at: the one that it borrows from is not where it was. */
export function lenderProblem(repository: string, lender: string): string | undefined {
  if (existsSync(lender)) return undefined;
  return (
    `the project's repository ${repository} does not exist or was moved; when fleet.yaml has its new path, ` +
    'fleet doctor --repair repairs its agents'
  );
}
