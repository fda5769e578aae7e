import { describe, expect } from 'vitest';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  failure,
  history,
  idleAgent,
  logOf,
  until,
  waitIdle,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { heldTask, queueTask } from './held-task.ts';

const it = fleetTest(() =>
  localFleet((config) => {
    config.roles['shell'] = {
      agent: 'command',
      command: ['sh', '-s'],
      env: { OF_ROLE: 'old' },
      env_from: ['OF_STARTER'],
    };
  }),
);
it.beforeAll(async ({ fleet }) => {
  fleet.env['OF_STARTER'] = 'old';
});

describe('stopping and restarting an agent', () => {
  it('interrupts its task and keeps its queue, which runs when it is back [OP-interrupted-stop, OP-stop-keeps-queue]', async ({
    fleet,
    ask,
  }) => {
    await idleAgent(ask, 'sony');
    const states = async (...ids: string[]): Promise<unknown[]> => {
      const rows = await history(ask, 'sony');
      return ids.map((id) => rows.find((row) => row['id'] === id)?.['state']);
    };
    const cutByStop = await heldTask(ask, { directory: fleet.directory, agent_name: 'sony' });
    const kept = [
      await queueTask(ask, 'sony', script({ say: 'kept 1' })),
      await queueTask(ask, 'sony', 'kept 2'),
    ];
    await ask('stop_agent', { agent_name: 'sony' });
    const stopped = await until(
      () => agentOf(ask, 'sony'),
      ({ status }) => status === 'stopped',
    );
    expect(stopped.queue_length).toBe(2);
    expect(await states(cutByStop.id, ...kept)).toEqual(['interrupted', 'queued', 'queued']);

    await ask('restart_agent', { agent_name: 'sony' });
    await waitIdle(ask, 'sony');
    expect(await states(cutByStop.id, ...kept)).toEqual(['interrupted', 'complete', 'complete']);

    const cutByRestart = await heldTask(ask, { directory: fleet.directory, agent_name: 'sony' });
    const after = await queueTask(ask, 'sony', 'after the restart');
    await ask('restart_agent', { agent_name: 'sony' });
    expect(await states(cutByRestart.id)).toEqual(['interrupted']);
    await waitIdle(ask, 'sony');
    expect(await states(after)).toEqual(['complete']);
    const said = (await logOf(ask, 'sony'))
      .filter(({ type }) => type === 'output')
      .map(({ message }) => message);
    expect(said.toReversed()).toEqual(['did: get ready', 'kept 1', 'did: kept 2', 'did: after the restart']);
  });

  it('takes a new environment at a restart and not before [AGENT-restart-environment]', async ({
    fleet,
    ask,
  }) => {
    await idleAgent(ask, 'shelly', { role: 'shell', task: 'true' });
    fleet.env['OF_STARTER'] = 'new';
    fleet.configure((config) => {
      config.roles['shell'] = { ...config.roles['shell'], env: { OF_ROLE: 'new', ADDED: 'yes' } };
    });
    const look = async (): Promise<unknown> => {
      await ask('start_agent_task', {
        agent_name: 'shelly',
        task_description: 'echo "$OF_ROLE $OF_STARTER ${ADDED-unset}"',
      });
      await waitIdle(ask, 'shelly');
      return (await logOf(ask, 'shelly')).find(({ type }) => type === 'output')?.['message'];
    };
    expect(await look()).toBe('old old unset');
    await ask('restart_agent', { agent_name: 'shelly' });
    await waitIdle(ask, 'shelly');
    expect(await look()).toBe('new new yes');
  });

  it('leaves the role of an agent as it was when it was created, whatever the configuration says since', async ({
    fleet,
    ask,
  }) => {
    await idleAgent(ask, 'frozen', { role: 'shell', task: 'true' });
    fleet.configure((config) => {
      config.roles['shell'] = { agent: 'command', command: ['sh', '-c', 'echo not the same program'] };
    });
    const look = async (): Promise<unknown> => {
      await ask('start_agent_task', { agent_name: 'frozen', task_description: 'echo the same program' });
      await waitIdle(ask, 'frozen');
      return (await logOf(ask, 'frozen')).find(({ type }) => type === 'output')?.['message'];
    };
    expect(await look()).toBe('the same program');
    await ask('restart_agent', { agent_name: 'frozen' });
    await waitIdle(ask, 'frozen');
    expect(await look()).toBe('the same program');
    fleet.configure((config) => {
      delete config.roles['shell'];
    });
    await ask('restart_agent', { agent_name: 'frozen' });
    await waitIdle(ask, 'frozen');
    expect(await look()).toBe('the same program');
    expect(await agentOf(ask, 'frozen')).toMatchObject({ role: 'shell' });
  });
});

describe('an agent that needs attention', () => {
  it('needs none after the next accepted task, or once it is acknowledged [AGENT-attention-next-task, OP-acknowledge_agent]', async ({
    ask,
  }) => {
    await idleAgent(ask, 'needy');
    const fail = async (): Promise<void> => {
      await ask('start_agent_task', { agent_name: 'needy', task_description: script({ exit: 1 }) });
      await waitIdle(ask, 'needy');
      expect(await agentOf(ask, 'needy')).toMatchObject({ status: 'idle', needs_attention: true });
    };
    await fail();
    await ask('start_agent_task', { agent_name: 'needy', task_description: 'well' });
    expect((await agentOf(ask, 'needy')).needs_attention).toBe(false);
    await waitIdle(ask, 'needy');
    await fail();
    const answer = await ask('acknowledge_agent', { agent_name: 'NEEDY' });
    expect(answer).toEqual({ agent_name: 'needy', message: expect.stringContaining('needy') as string });
    expect((await agentOf(ask, 'needy')).needs_attention).toBe(false);
    await ask('acknowledge_agent', { agent_name: 'needy' });
    expect((await failure(ask('acknowledge_agent', { agent_name: 'nobody' }))).code).toBe('NOT_FOUND');
  });

  it('needs none once it is acknowledged while it is stopped, and stays stopped', async ({ ask }) => {
    await ask('start_agent_task', { agent_name: 'needy', task_description: script({ exit: 1 }) });
    await waitIdle(ask, 'needy');
    await ask('stop_agent', { agent_name: 'needy' });
    await until(
      () => agentOf(ask, 'needy'),
      ({ status }) => status === 'stopped',
    );
    expect((await agentOf(ask, 'needy')).needs_attention).toBe(true);
    await ask('acknowledge_agent', { agent_name: 'needy' });
    expect(await agentOf(ask, 'needy')).toMatchObject({ status: 'stopped', needs_attention: false });
  });
});
