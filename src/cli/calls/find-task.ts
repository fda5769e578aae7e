import { FleetError, quote } from '../../domain/values/errors.ts';
import type { Session } from './run-operation.ts';

const PAGE_SIZE = 100;
const WHOLE_ID_LENGTH = 36;

/** The id of a task of an agent, from its beginning as fleet history shows it. */
export async function findTask(session: Session, agent_name: string, wanted: string): Promise<string> {
  if (wanted.length >= WHOLE_ID_LENGTH) return wanted;
  const found: string[] = [];
  for (let page = 1; ; page++) {
    const answer = await session.call('show_agent_task_history', { agent_name, page, page_size: PAGE_SIZE });
    const matching = answer.tasks.filter(({ kind, id }) => kind === 'task' && id.startsWith(wanted));
    found.push(...matching.map(({ id }) => id));
    if (!answer.has_next_page) break;
  }
  const [id, ...others] = found;
  if (id !== undefined && others.length === 0) return id;
  const problem =
    id === undefined ? 'has no task with an id' : `has ${found.length} tasks whose ids begin with`;
  throw new FleetError(
    id === undefined ? 'NOT_FOUND' : 'CONFLICT',
    `The agent ${quote(agent_name)} ${problem} ${quote(wanted)}. fleet history ${agent_name} shows the ids.`,
    { field: 'task_id' },
  );
}
