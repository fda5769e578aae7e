import type { Requirement } from '../row.ts';

export const rows: readonly Requirement[] = [
  {
    id: 'NUM-bench',
    source: 'contract Promises',
    text: 'npm run bench measures the promises with a number and prints them as a table.',
  },
  {
    id: 'NUM-create-coder',
    source: 'contract Promises create to ready',
    text: 'An agent on Coder is ready within the time of its template and 5 s.',
  },
  {
    id: 'NUM-visible-coder',
    source: 'contract Promises status visible',
    text: 'A change of status or metadata on Coder is visible in under 3 s.',
  },
  {
    id: 'NUM-delete-coder',
    source: 'contract Promises delete',
    text: 'Deleting an agent on Coder takes the time of the build and 5 s at most.',
  },
  {
    id: 'NUM-list-1000',
    source: 'contract Promises concurrent agents',
    text: 'A thousand agents of this machine are listed in one call.',
  },
  {
    id: 'NUM-list-1000-coder',
    source: 'contract Promises concurrent agents',
    text: 'A thousand agents on Coder are listed in one call.',
  },
  {
    id: 'NUM-live-200',
    source: 'contract Promises concurrent agents',
    text: 'A run made for it holds 200 live agents on one machine of 2 cores.',
  },
  {
    id: 'NUM-asleep-1000',
    source: 'contract Promises concurrent agents',
    text: 'A run made for it holds 1,000 sleeping agents on one machine, and they have no process.',
  },
  {
    id: 'NUM-two-failures',
    source: 'contract Promises commands that succeed',
    text: 'Every command succeeds while at most two requests in a row to a backend fail.',
  },
];
