import { tableText, type CrashRow } from './crash-table.ts';

/** docs/crash-points.md. */
export function crashPage(rows: readonly CrashRow[]): string {
  const points = rows.reduce((sum, row) => sum + row.points, 0);
  const stopped = rows.reduce((sum, row) => sum + row.stopped, 0);
  return `# Crash points

Every operation is cut at each of its moments: one process is stopped hard (SIGKILL) before or after something that it
changes outside of itself: a transaction of the store or of a journal, a lease, a process that it starts, a write to a
socket or a pipe, a file that is written, renamed or removed. Processes that only look (\`git status\`) change nothing:
they are counted in the creation and one of the deletions, and left out elsewhere. Two changes with no turn of the event loop between them
have one moment between them. Then the fleet is looked at, the same call is made again, and all this must hold:

- what the next look says is true, of every agent, in the list and in the details;
- every accepted task ends, once; no task ran twice; what is said to be complete was done;
- a call that was answered has had its effect; the same call again, with the same key, gives the same task or agent, and
  does nothing twice;
- no process is left, no branch, pin, row, directory or lock of git without its agent, and work is kept;
- subscribers hear of each acceptance, start and end once;
- a name is taken while its agent is there, and free afterwards.

"Stopped there" is less than "moments" where a moment comes in some runs and not in others. The second process of a kind
is the one that follows the first: a restarted agent has a runner 2.

${points} moments, ${stopped} of them met in this run. Made by \`npm run test:faults -- --write\`; one case alone:
\`npm run test:faults -- --only create/runner-1/17\`.

${tableText(rows)}

Beside it a random killer (\`npm run chaos -- --minutes 60\`) kills servers, commands, runners and programs at any time
while several callers create, task, cancel, stop, restart and delete; \`--seed N\` repeats what it does.
`;
}
