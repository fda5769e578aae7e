import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentView } from '../../src/domain/agent.ts';
import type { AgentStatus } from '../../src/domain/status.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  failure,
  history,
  idleAgent,
  logOf,
  until,
  waitIdle,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { processesOf, statusesOf } from './on-this-machine.ts';

let fleet: LocalFleet;
let ask: Ask;

/** A set-up that says that it began and goes on once it may. */
const setup = (directory: string, deaf: string): string =>
  `${deaf} touch "${directory}/begun-$FLEET_AGENT"; while [ ! -e "${directory}/go-$FLEET_AGENT" ]; do sleep 0.02; done`;

beforeAll(() => {
  fleet = localFleet((config) => {
    const repository = String(config.projects['Setup']?.['repository']);
    const directory = dirname(repository);
    const project = { repository, default_role: 'scripted' };
    config.max_starting = 1;
    config.projects['Slow'] = { ...project, setup: setup(directory, '') };
    config.projects['Deaf'] = { ...project, setup: setup(directory, 'trap "" INT TERM;') };
    config.projects['Broken'] = {
      ...project,
      setup: `test -e "${directory}/mended" || { echo "no luck" >&2; exit 7; }`,
    };
    config.projects['Late'] = { ...project, setup: 'true' };
    config.roles['late'] = { agent: 'command', command: ['./made-by-nobody'] };
  });
  ask = askAs(fleet.fleet);
});
afterAll(() => fleet[Symbol.asyncDispose]());

const file = (name: string): string => join(fleet.directory, name);
const touch = (name: string): void => writeFileSync(file(name), '');
const create = async (name: string, project: string, task = 'x'): Promise<AgentView> =>
  (await ask('create_agent', { project, task, name }))['agent'] as AgentView;
const reach = (name: string, status: AgentStatus): Promise<AgentView> =>
  until(
    () => agentOf(ask, name),
    (agent) => agent.status === status,
  );

/** It is offline: it takes no task, and none is recorded. */
async function refusesTask(name: string): Promise<void> {
  const before = await history(ask, name);
  const error = await failure(ask('start_agent_task', { agent_name: name, task_description: 'not now' }));
  expect(error.code, error.message).toBe('INVALID_INPUT');
  expect((await history(ask, name)).map((row) => row['id'])).toEqual(before.map((row) => row['id']));
}

/** Agents that several tests look at, made by the first that does. */
const shared = {
  stopped: once(async () => {
    const agent = await idleAgent(ask, 'rest');
    expect(processesOf(agent.workspace_id)).not.toEqual([]);
    await ask('stop_agent', { agent_name: 'rest' });
    await reach('rest', 'stopped');
    return agent;
  }),
  failed: once(async () => {
    const agent = await create('broken', 'Broken');
    await reach('broken', 'failed');
    return agent;
  }),
  /** Canceled while it was starting, and while it waited for its turn to start. */
  canceled: once(async () => {
    const agents = [await create('slow', 'Slow')];
    await until(async () => existsSync(file('begun-slow')), Boolean);
    expect(await reach('slow', 'starting')).toMatchObject({ current_task: null });
    agents.unshift(await create('waiting', 'Slow'));
    const pending = await until(
      () => agentOf(ask, 'waiting'),
      ({ status_reason }) => status_reason.includes('place'),
    );
    expect(pending).toMatchObject({ status: 'pending', current_task: null });
    for (const { name } of agents) {
      await ask('stop_agent', { agent_name: name });
      await reach(name, 'canceled');
    }
    return agents;
  }),
};

describe('the statuses of an agent on this machine', () => {
  it('stops while it is pending or starting and is canceled [AGENT-transition-cancel]', async () => {
    for (const { workspace_id } of await shared.canceled()) {
      expect(statusesOf(fleet, workspace_id).slice(-2)).toEqual(['canceling', 'canceled']);
      await leavesNoProcess(workspace_id);
    }
    const listed = await agentsOf(ask, { status_filter: 'canceled' });
    expect(listed.map(({ name }) => name)).toEqual(['slow', 'waiting']);
    expect(existsSync(file('begun-waiting'))).toBe(false);
  });

  it('stops while it is idle and is stopped, with no process [AGENT-transition-stop]', async () => {
    const { workspace_id } = await shared.stopped();
    expect(statusesOf(fleet, workspace_id).slice(-3)).toEqual(['idle', 'stopping', 'stopped']);
    expect((await agentsOf(ask, { status_filter: 'stopped' })).map(({ name }) => name)).toEqual(['rest']);
    await leavesNoProcess(workspace_id);
  });

  it('is failed with the reason when its set-up or its program cannot start [EDGE-01]', async () => {
    await shared.failed();
    const broken = await agentOf(ask, 'broken');
    expect(broken.status_reason).toMatch(/set-up.*failed with exit code 7/);
    expect(broken).toMatchObject({ status: 'failed', needs_attention: true, current_task: null });
    expect((await logOf(ask, 'broken')).map((entry) => entry['message'])).toContain('no luck');

    await ask('create_agent', { project: 'Late', role: 'late', task: 'x', name: 'late' });
    await waitIdle(ask, 'late');
    const late = await agentOf(ask, 'late');
    expect(late.status).toBe('failed');
    expect(late.status_reason).toContain('./made-by-nobody');
    const failed = await agentsOf(ask, { status_filter: 'failed' });
    expect(failed.map(({ name }) => name)).toEqual(['broken', 'late']);
  });

  it('takes no task while it is offline [T-start_agent_task-offline]', async () => {
    const offline = [await shared.stopped(), await shared.failed(), ...(await shared.canceled())];
    for (const { name, workspace_id } of offline) {
      await leavesNoProcess(workspace_id);
      await refusesTask(name);
      expect(processesOf(workspace_id)).toEqual([]);
    }
    await create('deaf', 'Deaf');
    await until(async () => existsSync(file('begun-deaf')), Boolean);
    await refusesWhileEnding('deaf', 'canceling', 'canceled');
    await idleAgent(ask, 'busy');
    await holdDeaf('busy');
    await refusesWhileEnding('busy', 'stopping', 'stopped');
    await idleAgent(ask, 'leaving');
    await holdDeaf('leaving');
    const deleted = ask('delete_agent', { agent_name: 'leaving' });
    await reach('leaving', 'deleting');
    const error = await failure(ask('start_agent_task', { agent_name: 'leaving', task_description: 'no' }));
    expect(error.code).toBe('INVALID_INPUT');
    await deleted;
  });

  it('comes back by restart from every state [T-restart_agent-any-state]', async () => {
    const agents = [await shared.stopped(), await shared.failed(), ...(await shared.canceled())];
    for (const name of ['go-slow', 'go-waiting', 'mended']) touch(name);
    const statuses = agents.map(({ name }) => agentOf(ask, name).then(({ status }) => status));
    expect(await Promise.all(statuses)).toEqual(['stopped', 'failed', 'canceled', 'canceled']);
    for (const { name } of agents) {
      await ask('restart_agent', { agent_name: name });
      await waitIdle(ask, name);
      expect(await agentOf(ask, name)).toMatchObject({ status: 'idle', needs_attention: false });
    }
    // The first task of an agent that never started waits for it.
    for (const name of ['broken', 'slow', 'waiting']) {
      expect(await history(ask, name)).toMatchObject([{ message: 'x', state: 'complete' }]);
    }
    await ask('restart_agent', { agent_name: 'rest' });
    await waitIdle(ask, 'rest');
    expect((await agentOf(ask, 'rest')).status).toBe('idle');
    await ask('start_agent_task', { agent_name: 'rest', task_description: script({ hold: file('never') }) });
    await reach('rest', 'busy');
    await ask('restart_agent', { agent_name: 'rest' });
    await waitIdle(ask, 'rest');
    expect((await agentOf(ask, 'rest')).status).toBe('idle');
    expect((await history(ask, 'rest'))[0]).toMatchObject({ state: 'interrupted' });
  });

  it('goes through these eleven, and deleted is seen in events only [FR-007, AGENT-transition-delete]', async () => {
    await Promise.all([shared.stopped(), shared.failed(), shared.canceled()]);
    const { workspace_id } = await idleAgent(ask, 'gone');
    await holdDeaf('gone');
    const deleting = ask('delete_agent', { agent_name: 'gone' });
    await reach('gone', 'deleting');
    await deleting;
    expect(statusesOf(fleet, workspace_id).slice(-3)).toEqual(['busy', 'deleting', 'deleted']);
    expect((await failure(agentOf(ask, 'gone'))).code).toBe('NOT_FOUND');
    expect(await agentsOf(ask, { status_filter: 'deleted' })).toEqual([]);
    const listed = await agentsOf(ask);
    expect(listed.map(({ name }) => name)).not.toContain('gone');
    const eleven =
      'pending starting busy idle stopping stopped failed canceling canceled deleting deleted'.split(' ');
    expect(new Set(statusesOf(fleet))).toEqual(new Set(eleven));
    for (const { status } of listed) expect(eleven).toContain(status);
  });
});

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}

/** Stops an agent that takes its time: meanwhile it is offline. */
async function refusesWhileEnding(name: string, during: AgentStatus, after: AgentStatus): Promise<void> {
  const stopped = ask('stop_agent', { agent_name: name });
  try {
    await reach(name, during);
    await refusesTask(name);
    expect((await agentOf(ask, name)).status).toBe(during);
  } finally {
    touch(`go-${name}`);
    await stopped;
  }
  await reach(name, after);
}

/** A runner writes down that it has ended, and then ends. */
async function leavesNoProcess(workspaceId: string): Promise<void> {
  await until(
    async () => processesOf(workspaceId),
    (found) => found.length === 0,
  );
}

/** A task that only SIGKILL, or a file, ends. */
async function holdDeaf(name: string): Promise<void> {
  const begun = file(`holding-${name}`);
  const steps = script({ ignore: ['SIGINT', 'SIGTERM'] }, { write: begun }, { hold: file(`go-${name}`) });
  await ask('start_agent_task', { agent_name: name, task_description: steps });
  await until(async () => existsSync(begun), Boolean);
}
