import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentView } from '../../src/domain/agent.ts';
import { agentPaths } from '../../src/backends/local/paths.ts';
import {
  agentOf,
  askAs,
  history,
  idleAgent,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/local-fleet.ts';

let fleet: LocalFleet;
let ask: Ask;
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

beforeAll(async () => {
  fleet = localFleet();
  const program = join(fleet.directory, 'witness.mjs');
  writeFileSync(program, WITNESS);
  fleet.configure((config) => {
    config.roles['witness'] = {
      agent: 'command',
      command: [process.execPath, program, '$HOME', 'a b', "it's *", '; touch oops'],
      env: { WITNESS_FILE: join(fleet.directory, 'told') },
    };
  });
  ask = askAs(fleet.fleet);
  agent = await idleAgent(ask, 'witness', { role: 'Witness', task: 'get ready', spec: 'the whole spec' });
});
afterAll(() => fleet[Symbol.asyncDispose]());

function told(): Told[] {
  const lines = readFileSync(join(fleet.directory, 'told'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Told);
}

async function give(task_description: string): Promise<Told> {
  await ask('start_agent_task', { agent_name: 'witness', task_description });
  await waitIdle(ask, 'witness');
  const last = told().at(-1);
  if (last === undefined) throw new Error('the program was not started');
  return last;
}

const newest = async (): Promise<Answer> => (await history(ask, 'witness'))[0] ?? {};

describe('the program of a command agent', () => {
  it('is started once for each task, in the workspace [CMD-once-per-task]', async () => {
    const before = told().length;
    await give('first');
    await give('second');
    expect(
      told()
        .slice(before)
        .map(({ stdin }) => stdin),
    ).toEqual(['first', 'second']);
    const { worktree } = agentPaths(fleet.home, agent.workspace_id);
    expect(new Set(told().map(({ cwd }) => cwd))).toEqual(new Set([worktree]));
    expect((await history(ask, 'witness')).length).toBe(told().length);
  });

  it('gets the task on stdin and in a variable, whatever characters it has [CMD-stdin]', async () => {
    for (const task of ['one line', 'two\nlines\n', ` "quoted" $HOME \`id\` 'x' \\n – ☃\t`]) {
      const { stdin, env } = await give(task);
      expect(stdin).toBe(task);
      expect(env['FLEET_TASK']).toBe(task);
    }
  });

  it('gets what the agent is in variables [CMD-variables]', async () => {
    const { env } = await give('look around');
    expect(env).toMatchObject({
      FLEET_AGENT: 'witness',
      FLEET_ROLE: 'witness',
      FLEET_PROJECT: 'Setup',
      FLEET_SPEC: 'the whole spec',
      FLEET_WORKSPACE_ID: agent.workspace_id,
    });
  });

  it('finds this fleet on its PATH, before any other [CMD-path]', async () => {
    const { fleet: found, env } = await give('ask fleet');
    expect(found).toMatchObject({ status: 0 });
    expect(JSON.parse(found?.stdout ?? '')).toMatchObject({ contract: '1.0.0', node: process.versions.node });
    expect(env['PATH']?.split(':')[0]).toBe(agentPaths(fleet.home, agent.workspace_id).bin);
  });

  it('gets its arguments as they are, and no shell reads them [CFG-command]', async () => {
    const { words } = await give('what are my arguments');
    expect(words).toEqual(['$HOME', 'a b', "it's *", '; touch oops']);
    expect((await agentOf(ask, 'witness')).git).toMatchObject({ dirty: false });
  });

  it('completes the task by exit 0 and fails it by any other [CMD-exit]', async () => {
    for (const code of [1, 3, 255]) {
      await give(String(code));
      expect(await newest()).toMatchObject({ state: 'failed', needs_user_attention: true });
      const seen = await agentOf(ask, 'witness');
      expect(seen).toMatchObject({ status: 'idle', needs_attention: true });
      expect(seen.status_reason).toContain(`exit code ${code}`);
    }
    await give('0');
    expect(await newest()).toMatchObject({ state: 'complete', needs_user_attention: false });
    expect(await agentOf(ask, 'witness')).toMatchObject({ status: 'idle', needs_attention: false });
  });
});
