import { TaskCommands } from '../../../runner/task-commands.ts';
import type { AppReport } from '../model/app-reports.ts';
import type { MirrorJournal } from '../model/mirror-journal.ts';

/** Coder stores reports until the next start only; the journal stores them permanently. */
export function keepReports(journal: MirrorJournal, reports: readonly AppReport[]): void {
  const commands = new TaskCommands(journal);
  for (const report of reports) commands.report(report);
}
