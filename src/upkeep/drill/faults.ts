import {
  identify,
  isAlive,
  signalProcess,
  type ProcessIdentity,
} from '../../platform/processes/process-identity.ts';
import { findRun } from '../../platform/processes/process-tree.ts';
import { outcomeOf, type Through, type Drill } from './drill.ts';
import { fillDisk, removeStore, removeWorkspace, stopForAWhile } from './storage-faults.ts';

export interface Fault {
  readonly what: string;
  /** The agents that it needs, idle. */
  readonly agents: readonly string[];
  /** Why it cannot be done here. */
  skip?(drill: Drill): string | undefined;
  /** Breaks something. `name` makes the names and marks of this round. */
  run(drill: Drill, name: (word: string) => string): Promise<void>;
}

const CALLERS = 20;
const BURST = 8;

/** What is done to the fleet in one round, in this order. */
export const FAULTS: readonly Fault[] = [
  { what: 'kill -9 of a runner in the middle of a task', agents: ['rio'], run: killRunner },
  { what: "kill -9 of a task's program", agents: ['ash'], run: killProgram },
  { what: 'kill -9 of the server in the middle of requests', agents: ['elm'], run: killServer },
  { what: 'a workspace removed by hand', agents: ['oak'], run: removeWorkspace },
  { what: 'a runner stopped for a while, as when a machine sleeps', agents: ['ivy'], run: stopForAWhile },
  { what: 'the store removed under the fleet', agents: ['bay'], run: removeStore },
  { what: 'a full disk', agents: ['elder'], skip: ({ place }) => place.noSmallDisk, run: fillDisk },
  { what: `${CALLERS} callers for one agent`, agents: ['fir'], run: raceForAgent },
  { what: `${CALLERS} callers for one name`, agents: [], run: raceForName },
  { what: 'an agent deleted in the middle of its work', agents: ['yew'], run: deleteAtWork },
];

async function killRunner(drill: Drill, name: (word: string) => string): Promise<void> {
  const agent = name('rio');
  const id = await drill.give(agent, { mark: name('held-by-rio'), hold: name('never') });
  await drill.began(name('held-by-rio'));
  await drill.give(agent, { mark: name('queued-for-rio') }, { input: { when_busy: 'queue' } });
  const { runner, workspace_id } = drill.row(agent);
  const before = processesOf(workspace_id);
  if (runner === null || before.length === 0) throw new Error(`${agent} runs nothing`);
  signalProcess(runner, 'SIGKILL');
  await drill.until('the runner is gone', async () => !isAlive(runner));
  drill.notebook.looks.push({
    what: 'the task of a runner that was killed',
    expected: 'interrupted',
    seen: await drill.stateOf(agent, id),
  });
  noteProcesses(drill, 'after the runner was killed', before);
  // Nobody asks for anything any more: what was queued is the server's to go on with.
  await drill.startServer();
  await drill.idle(agent);
}

async function killProgram(drill: Drill, name: (word: string) => string): Promise<void> {
  const agent = name('ash');
  const id = await drill.give(agent, { mark: name('held-by-ash'), hold: name('never') });
  await drill.began(name('held-by-ash'));
  const before = processesOf(drill.row(agent).workspace_id);
  for (const each of before) signalProcess(each, 'SIGKILL');
  await drill.idle(agent);
  drill.notebook.looks.push({
    what: 'the task whose program was killed',
    expected: 'failed',
    seen: await drill.stateOf(agent, id),
  });
  noteProcesses(drill, 'after the program was killed', before);
}

/** Requests are cut off: it is unknown which of them arrived, so that all are repeated with their keys. */
async function killServer(drill: Drill, name: (word: string) => string): Promise<void> {
  const agent = name('elm');
  const held = await drill.give(agent, { mark: name('held-by-elm'), hold: name('elm-may-end') });
  await drill.began(name('held-by-elm'));
  await drill.startServer();
  const marks = Array.from({ length: BURST }, (_, index) => name(`burst-${index}`));
  const send = (mark: string): Promise<string> =>
    drill.give(agent, { mark }, { through: 'server', input: { when_busy: 'queue', idempotency_key: mark } });
  const first = marks.map((mark) => send(mark).catch(() => undefined));
  await Promise.race(first);
  await drill.killServer();
  const heard = await Promise.all(first);
  drill.notebook.looks.push(
    { what: 'an agent while the server is dead', expected: 'busy', seen: await drill.statusOf(agent) },
    { what: 'its task', expected: 'running', seen: await drill.stateOf(agent, held) },
  );
  await drill.startServer();
  for (const [index, key] of marks.entries()) {
    const again = await send(key);
    const before = heard[index];
    drill.notebook.repetitions.push({ key, task_ids: before === undefined ? [again] : [before, again] });
  }
  drill.place.release(name('elm-may-end'));
  await drill.idle(agent);
  drill.notebook.looks.push({
    what: 'the task that ran while the server died',
    expected: 'complete',
    seen: await drill.stateOf(agent, held),
  });
}

async function raceForAgent(drill: Drill, name: (word: string) => string): Promise<void> {
  const agent = name('fir');
  await drill.startServer();
  const outcomes = await Promise.all(
    callers().map(({ index, through }) =>
      outcomeOf(drill.give(agent, { mark: name(`race-${index}`), hold: name('race-is-over') }, { through })),
    ),
  );
  drill.notebook.agentRaces.push({ what: `${CALLERS} tasks for one idle agent`, outcomes });
  drill.place.release(name('race-is-over'));
  await drill.idle(agent);
}

/** Half of them spell it with a capital. */
async function raceForName(drill: Drill, name: (word: string) => string): Promise<void> {
  await drill.startServer();
  const spellings = [name('pine'), name('Pine')];
  const outcomes = await Promise.all(
    callers().map(({ index, through }) =>
      outcomeOf(drill.create(spellings[index % 2] ?? '', { mark: name(`name-${index}`) }, through)),
    ),
  );
  drill.notebook.nameRaces.push({ what: `${CALLERS} agents of one name`, outcomes });
}

async function deleteAtWork(drill: Drill, name: (word: string) => string): Promise<void> {
  const agent = name('yew');
  const work = [
    'echo committed > one.txt',
    'git add one.txt',
    'git commit --quiet --no-gpg-sign --message=one',
    'echo not committed > two.txt',
  ].join(' && ');
  await drill.give(agent, {
    mark: name('at-work'),
    work: `${work} && touch '${drill.place.directory}/${name('worked')}'`,
    hold: name('never'),
  });
  await drill.began(name('at-work'));
  await drill.until('the work is done', async () => drill.place.has(name('worked')));
  const kept = await drill.retire(agent);
  for (const [file, expected] of [
    ['one.txt', 'committed'],
    ['two.txt', 'not committed'],
  ] as const) {
    drill.notebook.kept.push({
      what: `${file} of a deleted agent`,
      expected,
      seen: drill.place.read(kept, file),
    });
  }
}

/** All that a task started, as it is now. */
function processesOf(workspaceId: string): readonly ProcessIdentity[] {
  return findRun(workspaceId).flatMap((pid) => identify(pid) ?? []);
}

function noteProcesses(drill: Drill, when: string, before: readonly ProcessIdentity[]): void {
  drill.notebook.processes.push({ when, left: before.filter(isAlive).map(({ pid }) => pid) });
}

/** Half of them by the server and half by this process, so that no lock of one process decides. */
function callers(): readonly { readonly index: number; readonly through: Through }[] {
  return Array.from({ length: CALLERS }, (_, index) => ({
    index,
    through: Math.floor(index / 2) % 2 === 0 ? 'server' : 'here',
  }));
}
