import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findRun } from '../../src/platform/processes/process-tree.ts';
import type { AgentView } from '../../src/domain/agent.ts';
import { callFleet, serveFleet } from '../support/fleets/fleet-process.ts';
import { signalFile, until, type Answer } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { stdioClient } from '../support/mcp-clients.ts';
import { script } from '../support/script.ts';

/** How the first look from a cold shell is made. Nothing of the fleet is alive before it. */
const INTERFACES: Readonly<Record<string, (fleet: LocalFleet) => Promise<Looks>>> = {
  'fleet call': async ({ env }) => ({
    show: await callFleet('show_agent', { agent_name: 'victim' }, env),
    history: await callFleet('show_agent_task_history', { agent_name: 'victim' }, env),
  }),
  'fleet mcp': async ({ env }) => {
    await using client = await stdioClient('SDK v2, modern era', env);
    return {
      show: await client.ask('show_agent', { agent_name: 'victim' }),
      history: await client.ask('show_agent_task_history', { agent_name: 'victim' }),
    };
  },
  'fleet serve': async ({ env }) => {
    await using served = await serveFleet(env);
    return {
      show: (await served.request('GET', '/api/v1/agents/victim')).body,
      history: (await served.request('GET', '/api/v1/agents/victim/tasks')).body,
    };
  },
};

interface Looks {
  readonly show: Answer;
  readonly history: Answer;
}

describe('after kill -9 of server and runner in the middle of a task', () => {
  it.skipIf(process.platform !== 'linux').each(Object.entries(INTERFACES))(
    'the first look by %s tells the truth',
    async (_, look) => {
      await using fleet = localFleet();
      const begun = signalFile(fleet, 'begun');
      const served = await serveFleet(fleet.env);
      const created = await served.request('POST', '/api/v1/agents', {
        project: 'Setup',
        name: 'victim',
        task: script({ orphan: 600 }, { append: begun }, { hold: signalFile(fleet, 'never') }),
      });
      expect(created.status).toBe(201);
      const { workspace_id } = created.body['agent'] as AgentView;
      await until(
        async () => safeRead(begun),
        (text) => text === 'victim\n',
      );
      const facts = (await fleet.fleet.facts('victim')).facts.flatMap(({ body }) =>
        body.kind === 'runner.started' ? [body.pid] : [],
      );
      await served.kill('SIGKILL');
      for (const pid of facts) process.kill(pid, 'SIGKILL');

      const { show, history } = await look(fleet);

      expect(show['agent']).toMatchObject({ status: 'idle', current_task: null, needs_attention: true });
      expect(findRun(workspace_id)).toEqual([]);
      const tasks = history['tasks'] as Answer[];
      expect(tasks.map(({ state }) => state)).toEqual(['interrupted']);
      const ends = (await fleet.fleet.facts('victim')).facts.filter(({ body }) => body.kind === 'task.ended');
      expect(ends).toHaveLength(1);
      expect(safeRead(begun)).toBe('victim\n');
    },
  );
});

function safeRead(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
