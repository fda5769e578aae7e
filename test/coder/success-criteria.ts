import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  agentOf,
  agentsOf,
  askAs,
  history,
  idleAgent,
  signalFile,
  until,
  waitIdle,
  type Answer,
  type FleetUnderTest,
} from '../support/fleets/fleet-under-test.ts';
import { script } from '../support/script.ts';
import { writeFileSync } from 'node:fs';

const TEN = Array.from({ length: 10 }, (_, index) => `ten-${index}`);

/** The success criteria of the seeds on a fleet, with the figures that they name. */
export function successCriteria(place: string, open: () => Promise<FleetUnderTest>): void {
  const figures: Record<string, { measured: string; wanted: string }> = {};
  let fleet: FleetUnderTest;
  let attempts = 0;
  let failures = 0;
  const ask = async (operation: string, input?: Answer): Promise<Answer> => {
    attempts++;
    try {
      return await askAs(fleet.fleet)(operation, input);
    } catch (thrown) {
      failures++;
      throw thrown;
    }
  };
  const took = async (work: () => Promise<unknown>): Promise<string> => {
    const start = performance.now();
    await work();
    return `${Math.round(performance.now() - start)} ms`;
  };

  beforeAll(async () => {
    fleet = await open();
  });
  afterAll(async () => {
    if (Object.keys(figures).length > 0) console.table(figures);
    await fleet[Symbol.asyncDispose]();
  });

  it(`lives through the success criteria ${place}, and prints what they took`, async () => {
    figures['SC-009 projects and roles'] = {
      measured: await took(async () => {
        await ask('list_agent_projects');
        await ask('list_agent_roles', { project: 'Setup' });
      }),
      wanted: '500 ms',
    };
    figures['SC-001 create to ready'] = {
      measured: await took(() => idleAgent(ask, 'first')),
      wanted: '3 min',
    };
    const go = signalFile(fleet, 'go-measure');
    await ask('start_agent_task', { agent_name: 'first', task_description: script({ hold: go }) });
    expect((await agentsOf(ask))[0]).toMatchObject({ status: 'busy' });
    figures['SC-002 status visible'] = {
      measured: await took(async () => {
        writeFileSync(go, '');
        await until(
          async () => (await agentsOf(ask)).find(({ name }) => name === 'first')?.status,
          (status) => status === 'idle',
        );
      }),
      wanted: '5 s',
    };
    figures['SC-005 metadata visible'] = {
      measured: await took(async () => {
        await ask('set_agent_metadata', { agent_name: 'first', key: 'fleet_mcp_x', value: 'y' });
        expect((await agentOf(ask, 'first')).fleet_metadata).toMatchObject({ fleet_mcp_x: 'y' });
      }),
      wanted: '5 s',
    };
    await ask('start_agent_task', {
      agent_name: 'first',
      task_description: script({ hold: signalFile(fleet, 'go-2') }),
    });
    for (let index = 0; index < 100; index++) {
      const { task } = await ask('start_agent_task', {
        agent_name: 'first',
        task_description: `t ${index}`,
        when_busy: 'queue',
      });
      await ask('cancel_agent_task', { agent_name: 'first', task_id: (task as Answer)['id'] });
    }
    figures['SC-003, SC-008 a page of 100 tasks'] = {
      measured: await took(async () => expect(await history(ask, 'first')).toHaveLength(100)),
      wanted: '1 s',
    };
    writeFileSync(signalFile(fleet, 'go-2'), '');
    await waitIdle(ask, 'first');
    figures['SC-004, SC-007 ten at once, of two projects'] = {
      measured: await took(async () => {
        await Promise.all(
          TEN.map((name, index) =>
            ask('create_agent', { project: index % 2 === 0 ? 'Setup' : 'DataOne', task: 'work', name }),
          ),
        );
        await until(
          async () =>
            (await agentsOf(ask)).filter(({ status, name }) => status === 'idle' && TEN.includes(name)),
          ({ length }) => length === TEN.length,
          170_000,
        );
      }),
      wanted: 'all of them',
    };
    figures['SC-006 delete'] = {
      measured: await took(() => ask('delete_agent', { agent_name: 'first' })),
      wanted: '2 min',
    };
    figures['SC-010 right at the first attempt'] = {
      measured: `${attempts - failures} of ${attempts}`,
      wanted: '95 %',
    };
    expect(failures).toBe(0);
  }, 600_000);
}
