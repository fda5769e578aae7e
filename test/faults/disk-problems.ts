import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { processesNaming } from '../support/fleets/local-fleet.ts';
import { git } from '../seeds/on-this-machine.ts';
import { journalsOf } from './journals.ts';
import type { Stage } from './stage.ts';

/** What lies on disk must be what the fleet has: no branch, pin, row or directory without its agent. */
export function diskProblems({ home, repository, directory }: Stage, over: boolean): string[] {
  const rows = columnOf(home, 'SELECT workspace_id FROM agents');
  const refs = git(repository, 'for-each-ref', '--format=%(refname)', 'refs/remotes/fleet', 'refs/fleet/pins')
    .split('\n')
    .filter((ref) => ref !== '');
  const shown = refs.filter((ref) => ref.startsWith('refs/remotes/'));
  const pins = refs
    .filter((ref) => ref.startsWith('refs/fleet/'))
    .map((ref) => ref.slice('refs/fleet/pins/'.length));
  return [
    ...without(namesIn(join(home, 'agents')), rows, 'a directory without its agent'),
    ...without(pins, [...rows, ...namesIn(join(home, 'archive'))], 'a pin without its agent'),
    ...without(columnOf(home, 'SELECT workspace_id FROM summaries'), rows, 'a summary without its agent'),
    ...without(columnOf(home, 'SELECT workspace_id FROM slots'), rows, 'a turn to start without its agent'),
    ...(shown.length > rows.length
      ? [`${shown.join(', ')}: more branches than agents (${rows.length})`]
      : []),
    ...locksIn(join(repository, '.git')),
    ...readyProblems(home, rows),
    ...(over ? overProblems({ home, directory, rows }) : []),
  ];
}

/** An agent that is ready has its workspace; those that an older version made have it elsewhere. */
function readyProblems(home: string, rows: readonly string[]): string[] {
  return journalsOf(home).flatMap(({ workspace_id, state, archived }) =>
    !archived &&
    rows.includes(workspace_id) &&
    state.phase === 'ready' &&
    ![join(home, 'agents', workspace_id, 'work'), join(home, 'worktrees', workspace_id)].some((place) =>
      existsSync(join(place, 'README.md')),
    )
      ? ['the workspace of a ready agent is gone']
      : [],
  );
}

/** All agents were deleted. */
function overProblems({
  home,
  directory,
  rows,
}: {
  home: string;
  directory: string;
  rows: readonly string[];
}): string[] {
  const processes = processesNaming(directory);
  const journals = journalsOf(home);
  return [
    ...(rows.length === 0 ? [] : ['an agent is left']),
    ...(processes.length === 0 ? [] : [`processes are left: ${processes.join(', ')}`]),
    ...journals.flatMap(({ state, archived }) =>
      archived && state.phase === 'deleted' ? [] : ['a deleted agent has no archived end'],
    ),
    ...eventProblems(home, journals),
  ];
}

/** Subscribers hear of each start and end once. */
function eventProblems(home: string, journals: ReturnType<typeof journalsOf>): string[] {
  const told = columnOf(
    home,
    `SELECT kind || ' ' || json_extract(data, '$.task_id') FROM events WHERE kind LIKE 'task.%'`,
  );
  const happened = journals.flatMap(({ facts }) =>
    facts.flatMap(({ body }) =>
      body.kind === 'task.accepted' || body.kind === 'task.started' || body.kind === 'task.ended'
        ? [`${body.kind} ${body.task_id}`]
        : [],
    ),
  );
  return [
    ...happened.flatMap((fact) =>
      told.filter((event) => event === fact).length === 1
        ? []
        : [`${fact} was told ${told.filter((event) => event === fact).length} times`],
    ),
    ...without(told, happened, 'an event of what never happened'),
  ];
}

function without(found: readonly string[], known: readonly string[], what: string): string[] {
  return found.filter((each) => !known.includes(each)).map((each) => `${what}: ${each}`);
}

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

function locksIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.lock'))
    .map((name) => `git's lock ${name} is left`);
}

function columnOf(home: string, sql: string): string[] {
  const file = join(home, 'store.db');
  if (!existsSync(file)) return [];
  const database = new DatabaseSync(file, { timeout: 10_000 });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => String(Object.values(row)[0]));
  } finally {
    database.close();
  }
}
