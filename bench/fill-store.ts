import { pullRequestOf } from '../src/domain/metadata/pull-request.ts';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AgentRows } from '../src/backends/local/records/agent-rows.ts';
import { creationFacts, type Origin } from '../src/backends/local/records/origin.ts';
import { agentPaths } from '../src/backends/local/records/paths.ts';
import { NO_FIELDS, type ListedFields } from '../src/domain/metadata/taskfile-metadata.ts';
import { StorePublisher } from '../src/backends/local/records/store-publisher.ts';
import type { Clock } from '../src/domain/clock.ts';
import type { FactBody } from '../src/domain/fact.ts';
import { FLEET_ACTOR } from '../src/domain/principal.ts';
import { EMPTY_STATE, fold, type AgentState } from '../src/domain/state.ts';
import { systemClock } from '../src/platform/clock.ts';
import { identify } from '../src/platform/processes/process-identity.ts';
import { Journal } from '../src/runner/journal/journal.ts';
import { Store } from '../src/store/store.ts';
import { PROJECT, type Place } from './stage.ts';

export interface FilledAgent {
  readonly name: string;
  readonly workspace_id: string;
}

export interface Filling {
  readonly agents: number;
  /** How many of them have a journal beside their row. */
  readonly journals: number;
  readonly repository: string;
  /** What the Taskfile of each says. */
  readonly listed?: ListedFields;
  /** True: none is awake. */
  readonly asleep?: boolean;
}

const HOUR_MS = 3_600_000;

/** Agents as the backend and their runners would have written them, without starting one: of each 20, 17 are asleep,
 *  two idle and one busy. Gives those that have a journal. */
export function fillStore(
  place: Place,
  { agents, journals, repository, listed, asleep = false }: Filling,
): readonly FilledAgent[] {
  using store = new Store(place.home);
  const rows = new AgentRows(store);
  const journaled: FilledAgent[] = [];
  for (let index = 0; index < agents; index++) {
    const origin = originOf(place, repository, index);
    const { workspace_id } = origin.launch;
    rows.insert(origin);
    const kind = asleep ? 'asleep' : kindOf(index);
    const bodies = factsOf(origin, kind);
    // A process that is certainly alive stands for the runners of those that are awake.
    if (kind !== 'asleep') rows.setRunner(workspace_id, identify(process.pid) ?? null);
    const state = journaled.length < journals ? writeJournal(place, origin, bodies) : stateOf(bodies);
    if (journaled.length < journals) journaled.push(origin.launch);
    new StorePublisher(store, origin.launch).publish(
      {
        state,
        progress: kind === 'busy' ? systemClock.now() : undefined,
        git: {
          branch: `fleet/${origin.launch.name}`,
          base: 'main',
          ahead: index % 7,
          behind: index % 3,
          changed_files: index % 11,
          insertions: index,
          deletions: index % 50,
          dirty: index % 2 === 0,
          as_of: null,
          last_commit: '1f2e3d4 fix: what the task asked for',
        },
        pull_request:
          index % 4 === 0
            ? pullRequestOf({ fleet_mcp_pull_request_url: `https://example.com/pulls/${index}` })
            : null,
        listed: listed ?? NO_FIELDS,
      },
      [],
    );
  }
  return journaled;
}

type Kind = 'asleep' | 'idle' | 'busy';

function kindOf(index: number): Kind {
  const place = index % 20;
  return place < 17 ? 'asleep' : place < 19 ? 'idle' : 'busy';
}

function factsOf(origin: Origin, kind: Kind): readonly FactBody[] {
  const { id: task_id, message } = origin.first_task;
  const facts: FactBody[] = [
    ...creationFacts(origin),
    { kind: 'runner.started', generation: 1, pid: process.pid, version: '0.0.0' },
    { kind: 'agent.admitted' },
    { kind: 'agent.workspace_made', branch: origin.plan.branch, base: origin.plan.base_commit },
    { kind: 'agent.ready' },
    { kind: 'task.started', task_id, message },
  ];
  if (kind === 'busy') return facts;
  const reason = 'the program ended with exit code 0';
  facts.push({ kind: 'task.ended', task_id, state: 'complete', reason, exit_code: 0 });
  return kind === 'idle' ? facts : [...facts, { kind: 'runner.slept' }];
}

function writeJournal(place: Place, origin: Origin, bodies: readonly FactBody[]): AgentState {
  const paths = agentPaths(place.home, origin.launch.workspace_id);
  mkdirSync(paths.directory, { recursive: true, mode: 0o700 });
  using journal = new Journal(paths.journal, systemClock);
  journal.setLaunch(origin.launch, origin);
  journal.append(origin.created_by, ...bodies);
  return journal.state();
}

function stateOf(bodies: readonly FactBody[], clock: Clock = systemClock): AgentState {
  return bodies.reduce((state, body) => {
    const { at, awake_ms, boot } = clock.now();
    const seq = state.seq + 1;
    return fold(state, { seq, at: new Date(at).toISOString(), awake_ms, boot, by: FLEET_ACTOR, body });
  }, EMPTY_STATE);
}

function originOf(place: Place, repository: string, index: number): Origin {
  const workspace_id = randomUUID();
  const name = `agent-${String(index).padStart(4, '0')}`;
  const created_at = new Date(Date.now() - index * HOUR_MS).toISOString();
  const task = `Task ${index}: ${'make the failing test pass and say what was wrong. '.repeat(4)}`;
  return {
    created_at,
    created_by: { principal: 'user:bench', door: 'cli' },
    launch: {
      name,
      workspace_id,
      project: PROJECT,
      role: 'shell',
      spec: task,
      created_at,
      created_by: 'user:bench',
      agent: 'command',
      command: ['sh', '-s'],
      system_prompt: null,
      model: null,
      env: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
      on_crash: 'interrupt',
      stuck_after_ms: HOUR_MS,
      sleep_after_ms: HOUR_MS,
    },
    plan: {
      repository,
      directory: agentPaths(place.home, workspace_id).workspace,
      base_commit: '0123456789abcdef0123456789abcdef01234567',
      base_name: 'main',
      branch: `fleet/${name}`,
      setup: null,
      copy: [],
      clone: {
        lender: join(repository, '.git'),
        git_directory: join(repository, '.git'),
        start_commit: '0123456789abcdef0123456789abcdef01234567',
        started_from: null,
        published_as: `refs/remotes/fleet/${name}`,
        format: 'sha1',
        shallow: false,
      },
    },
    first_task: { id: randomUUID(), message: task, source: 'human' },
    pull_request_url: null,
    max_starting: 4,
    key: 'bench',
  };
}
