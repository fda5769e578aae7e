import { git } from '../../git/git.ts';

/** The state at the end of a task. The first one has the number 1. */
export interface TakenCheckpoint {
  readonly number: number;
  readonly commit: string;
  readonly task_id: string | null;
  readonly created_at: string;
  readonly left_out: readonly string[];
}

const SUBJECT = /^Checkpoint of agent /;

/** The checkpoints under a ref, oldest first. */
export async function checkpointsAt(fleet: string, ref: string): Promise<readonly TakenCheckpoint[]> {
  const { ok, stdout } = await git(fleet, ['log', '--first-parent', '--format=%H %cI%x00%B%x00', ref, '--']);
  if (!ok) return [];
  const parts = stdout.split('\0');
  const found: Omit<TakenCheckpoint, 'number'>[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const message = parts[at + 1] ?? '';
    // What the first one stands on are the agent's own commits.
    if (!SUBJECT.test(message)) break;
    const [commit = '', created = ''] = (parts[at] ?? '').trim().split(' ');
    found.push({
      commit,
      created_at: new Date(created).toISOString(),
      task_id: /^Task: (.*)$/m.exec(message)?.[1] ?? null,
      left_out: [...message.matchAll(/^Left-Out: (.*)$/gm)].map(([, path = '""']) =>
        String(JSON.parse(path)),
      ),
    });
  }
  return found.toReversed().map((each, index) => ({ ...each, number: index + 1 }));
}
