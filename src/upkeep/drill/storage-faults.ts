import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { agentPaths } from '../../backends/local/records/paths.ts';
import { signalProcess } from '../../platform/processes/process-identity.ts';
import { outcomeOf, type Drill } from './drill.ts';

/** Storage fails under the fleet: files go, the disk is full, time stands still. */
export async function removeWorkspace(drill: Drill, name: (word: string) => string): Promise<void> {
  const agent = name('oak');
  rmSync(agentPaths(drill.place.home, drill.row(agent).workspace_id).workspace, { recursive: true });
  await drill.give(agent, { mark: name('without-workspace') });
  await drill.idle(agent);
  drill.notebook.looks.push({
    what: 'an agent whose workspace was removed',
    expected: 'idle',
    seen: await drill.statusOf(agent),
  });
  await drill.ask('restart_agent', { agent_name: agent }, 'server');
  await drill.idle(agent);
  const id = await drill.give(agent, { mark: name('with-a-new-workspace') });
  await drill.idle(agent);
  drill.notebook.looks.push({
    what: 'a task after the restart of an agent whose workspace was removed',
    expected: 'complete',
    seen: await drill.stateOf(agent, id),
  });
}

export async function stopForAWhile(drill: Drill, name: (word: string) => string): Promise<void> {
  const agent = name('ivy');
  const id = await drill.give(agent, { mark: name('held-by-ivy'), hold: name('ivy-may-end') });
  await drill.began(name('held-by-ivy'));
  const { runner } = drill.row(agent);
  if (runner === null) throw new Error(`${agent} has no runner`);
  signalProcess(runner, 'SIGSTOP');
  drill.place.release(name('ivy-may-end'));
  const seen = await drill.statusOf(agent);
  signalProcess(runner, 'SIGCONT');
  await drill.idle(agent);
  drill.notebook.looks.push(
    { what: 'an agent whose runner was stopped for a while', expected: 'busy', seen },
    { what: 'its task, when the runner goes on', expected: 'complete', seen: await drill.stateOf(agent, id) },
  );
}

export async function removeStore(drill: Drill, name: (word: string) => string): Promise<void> {
  const agent = name('bay');
  const id = await drill.give(agent, { mark: name('held-by-bay'), hold: name('bay-may-end') });
  await drill.began(name('held-by-bay'));
  const before = await drill.names();
  for (const file of ['store.db', 'store.db-wal', 'store.db-shm'])
    rmSync(join(drill.place.home, file), { force: true });
  await drill.reopen();
  const after = await drill.names();
  drill.place.release(name('bay-may-end'));
  await drill.idle(agent);
  drill.notebook.looks.push(
    { what: 'the agents after the store was removed', expected: before.join(' '), seen: after.join(' ') },
    { what: 'the task that ran meanwhile', expected: 'complete', seen: await drill.stateOf(agent, id) },
  );
}

export async function fillDisk(drill: Drill, name: (word: string) => string): Promise<void> {
  const agent = name('elder');
  const before = await drill.tasks(agent);
  drill.place.fillDisk();
  const outcome = await outcomeOf(drill.give(agent, { mark: name('on-a-full-disk') }));
  const listed = await drill.statusOf(agent);
  drill.place.emptyDisk();
  drill.notebook.looks.push(
    { what: 'a task on a full disk', expected: 'SERVICE_UNAVAILABLE', seen: outcome },
    { what: 'a look on a full disk', expected: 'idle', seen: listed },
    {
      what: 'tasks after that',
      expected: String(before.length),
      seen: String((await drill.tasks(agent)).length),
    },
  );
  const id = await drill.give(agent, { mark: name('with-room-again') });
  await drill.idle(agent);
  drill.notebook.looks.push({
    what: 'a task when there is room again',
    expected: 'complete',
    seen: await drill.stateOf(agent, id),
  });
}
