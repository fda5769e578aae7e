import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  agentOf,
  agentsOf,
  failure,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { byHarness, INTERFACES, type Call } from './interfaces.ts';
import { giveCutToRunners } from './cuts/give-cut.ts';
import { runCase } from './cuts/run-case.ts';
import { SCENARIOS } from './scenarios.ts';
import { bringIdle, NAME } from './scenarios/bring.ts';
import { Stage } from './stage.ts';
import { taskText } from './task-text.ts';
import { keepOnce } from '../support/fleets/local-fleet.ts';

const LINUX = process.platform === 'linux';

beforeAll(giveCutToRunners);

/** Cases that once failed, by what the process was about to do or had just done. */
const CASES = [
  {
    name: 'stop asleep',
    point: 'cli-1 after journal commit',
    why: 'the list tells what only the journal knows',
  },
  { name: 'delete idle', point: 'cli-1 after rename to ID', why: 'an archived agent is not made again' },
  { name: 'delete again after it was out of sight', why: 'the answer names the branch that was kept before' },
];

describe.skipIf(!LINUX)('after a process was stopped hard', () => {
  it.each(CASES)('$name: $why', async ({ name, point }) => {
    const scenario = SCENARIOS.find((each) => each.name === name);
    if (scenario === undefined) throw new Error(`no scenario ${name}`);
    const { cutAt, problems } = await runCase({
      scenario,
      through: 'cli',
      ...(point === undefined ? {} : { point }),
    });
    expect(problems).toEqual([]);
    expect(cutAt === undefined).toBe(point === undefined);
  });

  it('an agent whose maker died before starting it is started by the same call again', async () => {
    await using stage = new Stage();
    const call = create(stage);
    stage.arm('cli-1 after make ID');
    expect(await callByCommand(stage, call)).toEqual({ kind: 'cut' });
    stage.disarm();
    expect((await agentOf(stage.ask, NAME)).status).toBe('pending');
    expect(await byHarness(stage, call, 'cli')).toMatchObject({ kind: 'answered' });
    await waitIdle(stage.ask, NAME);
    expect(stage.marks('first')).toEqual(['begun', 'done']);
  });
});

describe('a call whose answer was never kept', () => {
  it('finds its task, also when the agent was stopped since', async () => {
    await using stage = new Stage();
    await bringIdle(stage);
    const input = {
      agent_name: NAME,
      task_description: taskText(stage.directory, 'given'),
      idempotency_key: 'k',
    };
    const first = await stage.ask('start_agent_task', input);
    await waitIdle(stage.ask, NAME);
    await stage.ask('stop_agent', { agent_name: NAME });
    forgetAnswers(stage);
    const again = await stage.ask('start_agent_task', input);
    expect(again['task']).toMatchObject({ id: (first['task'] as Answer)['id'], state: 'complete' });
  });

  it('means another agent in another fleet, whose tasks are not taken for its own', async () => {
    await using one = new Stage();
    await using other = new Stage();
    const made = [one, other].map(async (stage) => {
      await stage.ask('create_agent', create(stage).input);
      return (await agentOf(stage.ask, NAME)).workspace_id;
    });
    const ids = await Promise.all(made);
    expect(new Set(ids).size).toBe(2);
  });

  it('does not make an agent again that was deleted since', async () => {
    await using stage = new Stage();
    const { input } = create(stage);
    await stage.ask('create_agent', input);
    await waitIdle(stage.ask, NAME);
    await stage.ask('delete_agent', { agent_name: NAME });
    forgetAnswers(stage);
    const { code, details } = await failure(stage.ask('create_agent', input));
    expect([code, details.reason]).toEqual(['CONFLICT', 'agent_deleted']);
    expect(await agentsOf(stage.ask)).toEqual([]);
  });
});

describe('a deletion that failed in a process that lives on', () => {
  it('is finished by the next process, and does not delay other agents', async () => {
    await using stage = new Stage();
    await bringIdle(stage);
    const archive = join(stage.home, 'archive');
    writeFileSync(archive, 'in the way');
    await expect(stage.ask('delete_agent', { agent_name: NAME })).rejects.toThrow();
    expect((await agentOf(stage.ask, NAME)).status).toBe('deleting');
    await expect(keepOnce(stage.opened)).rejects.toThrow();
    rmSync(archive);
    // What failed is tried again after a while.
    await until(
      async () => {
        await keepOnce(stage.opened);
        return agentsOf(stage.ask);
      },
      (agents) => agents.length === 0,
    );
  });
});

function create(stage: Stage): Call {
  const task = taskText(stage.directory, 'first');
  return { operation: 'create_agent', input: { project: 'Setup', name: NAME, task, idempotency_key: 'k' } };
}

async function callByCommand(stage: Stage, call: Call) {
  await using command = await INTERFACES.cli(stage);
  return await command.call(call);
}

/** As when the process died between doing what it was asked and keeping its answer. */
function forgetAnswers({ home }: Stage): void {
  const database = new DatabaseSync(join(home, 'store.db'), { timeout: 10_000 });
  database.exec('UPDATE answers SET answer = NULL');
  database.close();
}
