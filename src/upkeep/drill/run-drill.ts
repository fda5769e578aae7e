import { findRun } from '../../platform/processes/process-tree.ts';
import type { Caller } from '../../domain/principal.ts';
import { Drill } from './drill.ts';
import { DrillPlace } from './drill-place.ts';
import type { Evidence } from './evidence.ts';
import { FAULTS } from './faults.ts';

export interface DrillOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly caller: Caller;
  readonly seconds: number;
  readonly signal: AbortSignal;
  progress(message: string): void;
}

export interface DrillResult {
  readonly rounds: number;
  readonly evidence: Evidence;
}

/** Breaks a fleet of its own again and again until the time is up, at least once, and tells what was seen. */
export async function runDrill(options: DrillOptions): Promise<DrillResult> {
  await using place = new DrillPlace(options.env);
  await using drill = new Drill(place, options);
  const start = performance.now();
  const left = (): number => start + options.seconds * 1000 - performance.now();
  let rounds = 0;
  let longest = 0;
  while (rounds === 0 || left() > longest) {
    const before = left();
    rounds++;
    options.progress(`round ${rounds}`);
    if (!(await tryRound(drill, rounds, options))) break;
    longest = Math.max(longest, before - left());
  }
  drill.notebook.started.push(...place.startedMarks());
  return { rounds, evidence: drill.notebook };
}

/** False when the drill cannot go on. Why is part of the evidence, unless it was stopped. */
async function tryRound(drill: Drill, round: number, { signal, progress }: DrillOptions): Promise<boolean> {
  try {
    await runRound(drill, round, progress);
    return true;
  } catch (thrown) {
    signal.throwIfAborted();
    drill.notebook.failures.push(thrown instanceof Error ? thrown.message : String(thrown));
    await drill.noteTheRest();
    return false;
  }
}

async function runRound(drill: Drill, round: number, progress: (message: string) => void): Promise<void> {
  const name = (word: string): string => `${word}-${round}`;
  const cast = FAULTS.flatMap(({ agents }) => agents).map(name);
  await Promise.all(cast.map((agent) => drill.create(agent, { mark: `first-of-${agent}` })));
  await drill.idle(...cast);
  for (const { what, skip, run } of FAULTS) {
    const reason = skip?.(drill);
    progress(`  ${what}${reason === undefined ? '' : ` (skipped: ${reason})`}`);
    if (reason === undefined) await run(drill, name);
  }
  await endRound(drill, progress);
}

/** All agents end their work and are deleted; nothing of them may be left. */
async function endRound(drill: Drill, progress: (message: string) => void): Promise<void> {
  const rows = drill.place.rows();
  const names = rows.map((row) => row.name);
  await drill.idle(...names);
  const listed = await drill.ask('list_agents', {});
  drill.notebook.lists.push(
    Array.isArray(listed['agents']) ? listed['agents'].map((agent) => String(agent.name)) : [],
  );
  progress('  all agents deleted');
  await Promise.all(names.map((each) => drill.retire(each)));
  await drill.killServer();
  const tasks = rows.flatMap(({ workspace_id }) => findRun(workspace_id));
  drill.notebook.processes.push({
    when: 'when all agents were deleted',
    left: [...drill.place.processes(), ...tasks],
  });
}
