import type { AgentRecord, AgentSource } from '../../backends/backend.ts';
import type { AgentDiff } from '../../domain/diff/agent-diff.ts';
import type { ReviewComment } from '../../domain/review/review-comment.ts';
import { FleetError } from '../../domain/values/errors.ts';

const PATCH_BYTES = 1_000_000;

/** The patches of commented files, by path; those that are not in the agent's diff are missing. */
export async function reviewPatches(
  backend: AgentSource,
  agent: AgentRecord,
  comments: readonly Pick<ReviewComment, 'path' | 'side'>[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, AgentDiff['files'][number]>();
  let wanted = [...new Set(comments.map(({ path }) => path))];
  while (wanted.length > 0) {
    const { files, cursor } = await diffOf(backend, agent, { paths: wanted, format: 'patch' });
    for (const file of files) found.set(file.path, file);
    if (cursor === null) break;
    // The last patch of a page may be cut off: it is asked for again, unless it alone fills the page.
    const done = new Set(files.slice(0, Math.max(1, files.length - 1)).map(({ path }) => path));
    wanted = wanted.filter((path) => !done.has(path));
  }
  for (const file of await renamed(backend, agent, { comments, found })) found.set(file.path, file);
  return new Map([...found].map(([path, { patch = '' }]) => [path, patch]));
}

/** Git takes a renamed file for a new one, without lines from before, when it is asked for one of its names alone. */
async function renamed(
  backend: AgentSource,
  agent: AgentRecord,
  {
    comments,
    found,
  }: {
    readonly comments: readonly Pick<ReviewComment, 'path' | 'side'>[];
    readonly found: ReadonlyMap<string, AgentDiff['files'][number]>;
  },
): Promise<AgentDiff['files']> {
  const old = comments.filter(({ path, side }) => side === 'old' && found.get(path)?.status === 'added');
  if (old.length === 0) return [];
  const names = new Set(old.map(({ path }) => path));
  const { files } = await diffOf(backend, agent, { paths: [], format: 'files' });
  const patched: AgentDiff['files'][number][] = [];
  for (const { path, old_path } of files) {
    if (old_path === null || !names.has(path)) continue;
    const both = await diffOf(backend, agent, { paths: [old_path, path], format: 'patch' });
    patched.push(...both.files.filter((file) => file.path === path));
  }
  return patched;
}

async function diffOf(
  backend: AgentSource,
  agent: AgentRecord,
  request: { readonly paths: readonly string[]; readonly format: 'files' | 'patch' },
): Promise<AgentDiff> {
  if (backend.diff !== undefined) return backend.diff(agent, { ...request, max_bytes: PATCH_BYTES });
  throw new FleetError('INVALID_INPUT', `The work of agent "${agent.name}" is not on this machine.`, {
    field: 'agent_name',
    reason: 'not_local',
  });
}
