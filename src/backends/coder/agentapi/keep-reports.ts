import { z } from 'zod';
import { FLEET_ACTOR } from '../../../domain/principal.ts';
import { REPORT_STATES } from '../../../domain/task.ts';
import { TaskDesk } from '../../../runner/task-desk.ts';
import type { CoderContext } from '../coder-context.ts';
import type { MirrorJournal } from '../mirror-journal.ts';
import type { Workspace } from '../workspace-schema.ts';

const some = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((items): z.output<Item>[] => items ?? []);

const statusSchema = z.object({
  id: z.string(),
  created_at: z.string(),
  state: z.enum(REPORT_STATES).catch('working'),
  message: z.string().default(''),
  uri: z.string().default(''),
});

/** The statuses of one workspace, which lists do without. */
const toldSchema = z.object({
  latest_build: z.object({
    resources: some(
      z.object({ agents: some(z.object({ apps: some(z.object({ statuses: some(statusSchema) })) })) }),
    ),
  }),
});

export type Told = z.output<typeof statusSchema>;

/** What the agent in a workspace reported to Coder itself since its last start, oldest first. */
export async function reportsOf({ client }: CoderContext, { id, latest_app_status }: Workspace) {
  if (latest_app_status === null || latest_app_status === undefined) return [];
  const { latest_build } = await client.ask(`/workspaces/${id}`, toldSchema);
  return latest_build.resources
    .flatMap(({ agents }) => agents)
    .flatMap(({ apps }) => apps)
    .flatMap(({ statuses }) => statuses)
    .toSorted((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at));
}

/** Coder keeps them until the next start only: the journal keeps them for good. */
export function keepReports(journal: MirrorJournal, reports: readonly Told[]): void {
  const desk = new TaskDesk(journal);
  for (const { id: report_id, state, message, uri } of reports)
    desk.report({ report_id, state, message, uri: uri === '' ? null : uri, by: FLEET_ACTOR });
}
