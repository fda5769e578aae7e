import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { AgentView } from '../../src/domain/agent.ts';
import { agentPaths } from '../../src/backends/local/records/paths.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  history,
  idleAgent,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';

let agent: AgentView;

/** Tells all that it was started with. Exits with its task when that is a number; asks for fleet when told to. */
const WITNESS = `
import { appendFileSync, readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
const stdin = readFileSync(0, 'utf8');
const fleet = stdin === 'ask fleet' ? spawnSync('fleet', ['version', '--json'], { encoding: 'utf8' }) : undefined;
const told = { stdin, cwd: process.cwd(), env: process.env, words: process.argv.slice(2), fleet };
appendFileSync(process.env.WITNESS_FILE, JSON.stringify(told) + '\\n');
process.exit(/^\\d+$/.test(stdin) ? Number(stdin) : 0);
`;

interface Told {
  readonly stdin: string;
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly words: readonly string[];
  readonly fleet?: { readonly status: number; readonly stdout: string };
}

const it = fleetTest();
it.beforeAll(async ({ fleet, ask }) => {
  const program = join(fleet.directory, 'witness.mjs');
  writeFileSync(program, WITNESS);
  fleet.configure((config) => {
    config.roles['witness'] = {
      agent: 'command',
      command: [process.execPath, program, '$HOME', 'a b', "it's *", '; touch oops'],
      env: { WITNESS_FILE: join(fleet.directory, 'told') },
    };
  });
  agent = await idleAgent(ask, 'witness', { role: 'Witness', task: 'get ready', spec: 'the whole spec' });
});

function told(fleet: LocalFleet): Told[] {
  const lines = readFileSync(join(fleet.directory, 'told'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Told);
}

async function give(fleet: LocalFleet, ask: Ask, task_description: string): Promise<Told> {
  await ask('start_agent_task', { agent_name: 'witness', task_description });
  await waitIdle(ask, 'witness');
  const last = told(fleet).at(-1);
  if (last === undefined) throw new Error('the program was not started');
  return last;
}

const newest = async (ask: Ask): Promise<Answer> => (await history(ask, 'witness'))[0] ?? {};

describe('the program of a command agent', () => {
  it('is started once for each task, in the workspace [CMD-once-per-task]', async ({ fleet, ask }) => {
    const before = told(fleet).length;
    await give(fleet, ask, 'first');
    await give(fleet, ask, 'second');
    expect(
      told(fleet)
        .slice(before)
        .map(({ stdin }) => stdin),
    ).toEqual(['first', 'second']);
    const { workspace } = agentPaths(fleet.home, agent.workspace_id);
    expect(new Set(told(fleet).map(({ cwd }) => cwd))).toEqual(new Set([workspace]));
    expect((await history(ask, 'witness')).length).toBe(told(fleet).length);
  });

  it('gets the task on stdin and in a variable, whatever characters it has [CMD-stdin]', async ({
    fleet,
    ask,
  }) => {
    for (const task of ['one line', 'two\nlines\n', ` "quoted" $HOME \`id\` 'x' \\n – ☃\t`]) {
      const { stdin, env } = await give(fleet, ask, task);
      expect(stdin).toBe(task);
      expect(env['FLEET_TASK']).toBe(task);
    }
  });

  it('gets what the agent is in variables [CMD-variables]', async ({ fleet, ask }) => {
    const { env } = await give(fleet, ask, 'look around');
    expect(env).toMatchObject({
      FLEET_AGENT: 'witness',
      FLEET_ROLE: 'witness',
      FLEET_PROJECT: 'Setup',
      FLEET_SPEC: 'the whole spec',
      FLEET_WORKSPACE_ID: agent.workspace_id,
    });
  });

  it('finds this fleet on its PATH, before any other [CMD-path]', async ({ fleet, ask }) => {
    const { fleet: found, env } = await give(fleet, ask, 'ask fleet');
    expect(found).toMatchObject({ status: 0 });
    expect(JSON.parse(found?.stdout ?? '')).toMatchObject({ contract: '1.1.0', node: process.versions.node });
    expect(env['PATH']?.split(':')[0]).toBe(agentPaths(fleet.home, agent.workspace_id).bin);
  });

  it('gets its arguments as they are, and no shell reads them [CFG-command]', async ({ fleet, ask }) => {
    const { words } = await give(fleet, ask, 'what are my arguments');
    expect(words).toEqual(['$HOME', 'a b', "it's *", '; touch oops']);
    expect((await agentOf(ask, 'witness')).git).toMatchObject({ dirty: false });
  });

  it('completes the task by exit 0 and fails it by any other [CMD-exit]', async ({ fleet, ask }) => {
    for (const code of [1, 3, 255]) {
      await give(fleet, ask, String(code));
      expect(await newest(ask)).toMatchObject({ state: 'failed', needs_user_attention: true });
      const seen = await agentOf(ask, 'witness');
      expect(seen).toMatchObject({ status: 'idle', needs_attention: true });
      expect(seen.status_reason).toContain(`exit code ${code}`);
    }
    await give(fleet, ask, '0');
    expect(await newest(ask)).toMatchObject({ state: 'complete', needs_user_attention: false });
    expect(await agentOf(ask, 'witness')).toMatchObject({ status: 'idle', needs_attention: false });
  });
});
