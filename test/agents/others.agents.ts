import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logOf, questionOf } from '../acp/acp-fleet.ts';
import { processesOf, runnerOf } from '../operations/processes-of.ts';
import { agentOf, askAs, history, idleAgent, until, type Ask } from '../support/fleets/fleet-under-test.ts';
import { scriptText } from '../support/model-server/model-script.ts';
import { without } from './agents-cache.ts';
import { realFleet, type RealFleet } from './real-fleet.ts';
import { WRITE } from './write-steps.ts';

type Step = Parameters<typeof scriptText>[0][number];

const { claude: _, ...OTHERS } = WRITE;
const ESCALATED = { sandbox_permissions: 'require_escalated', justification: 'it is needed' };

describe.each(Object.entries(OTHERS))('the real %s in a fleet', (name, write) => {
  const { missing, why } = without(name);
  let real: RealFleet;
  let ask: Ask;
  let worktree: string;
  let workspace: string;

  beforeAll(async () => {
    if (missing) return;
    real = await realFleet(name, {
      free: { permissions: [{ tool: '*', decision: 'allow' }], on_crash: 'resume' },
    });
    ask = askAs(real.fleet.fleet);
  });
  afterAll(() => real?.[Symbol.asyncDispose]());

  async function give(agent_name: string, ...steps: Step[]): Promise<void> {
    await ask('start_agent_task', { agent_name, task_description: scriptText(steps) });
  }

  async function ended(agent_name: string): Promise<string> {
    const answer = await ask('wait_for_agents', { agent_names: agent_name, timeout_seconds: 150 });
    expect(answer['timed_out'], JSON.stringify(answer['agents'])).toBe(false);
    return String((await history(ask, agent_name)).find(({ kind }) => kind === 'task')?.state);
  }

  /** Codex asks when its model says that the sandbox is too small. */
  const asking = (step: Step): Step =>
    name === 'codex' ? { ...step, input: Object.assign({}, step.input, ESCALATED) } : step;
  const said = async (agent_name: string): Promise<string> =>
    (await logOf(ask, agent_name)).map(({ message }) => message).join('\n');

  it.skipIf(missing)(`is created, knows its spec, edits a file, and says what it used${why}`, async () => {
    ({ workspace_id: workspace } = await idleAgent(ask, 'bob', {
      role: 'free',
      spec: 'The spec of all its tasks',
      task: scriptText([{ text: 'Ready.' }]),
    }));
    worktree = join(real.fleet.home, 'agents', workspace, 'work');
    const file = join(worktree, 'made.txt');
    await give('bob', write(file, 'by a real agent'), { text: 'I wrote it.' });
    expect(await ended('bob')).toBe('complete');
    expect(readFileSync(file, 'utf8')).toBe('by a real agent');
    expect(await said('bob')).toContain('I wrote it.');
    expect((await agentOf(ask, 'bob')).tokens).toBeGreaterThan(0);
    expect(JSON.stringify(real.model.requests.at(-1)?.body)).toContain('The spec of all its tasks');
  });

  it.skipIf(missing)(`asks, and does what it is allowed to and not what it is denied${why}`, async () => {
    const { workspace_id } = await idleAgent(ask, 'ada', { task: scriptText([{ text: 'Ready.' }]) });
    const [yes, no] = ['yes.txt', 'no.txt'].map((file) =>
      join(real.fleet.home, 'agents', workspace_id, 'work', file),
    ) as [string, string];
    await give('ada', asking(write(yes, 'yes')), { text: 'thanks' });
    const question = await questionOf(ask, 'ada');
    expect(question).toMatchObject({ kind: 'permission', agent_name: 'ada' });
    expect(JSON.stringify(question.input)).toContain('yes.txt');
    await ask('respond_approval', { id: question.id, decision: 'allow' });
    expect(await ended('ada')).toBe('complete');
    await give('ada', asking(write(no, 'no')), { text: 'then not' });
    await ask('respond_approval', { id: (await questionOf(ask, 'ada')).id, decision: 'deny' });
    await ended('ada');
    expect([existsSync(yes), existsSync(no)]).toEqual([true, false]);
  });

  it.skipIf(missing)(`is canceled in the middle of a stream${why}`, async () => {
    await give('bob', { text: 'this is never said to its end', hold: join(real.fleet.directory, 'never') });
    await until(
      async () => real.model.requests.at(-1)?.step,
      (step) => step === 0,
    );
    await ask('cancel_agent_task', { agent_name: 'bob' });
    expect(await ended('bob')).toBe('canceled');
  });

  it.skipIf(missing)(`goes on in its session after kill -9 of its runner${why}`, async () => {
    process.kill(runnerOf(real.fleet, workspace) ?? 0, 'SIGKILL');
    await until(
      async () => processesOf(real.fleet, workspace),
      (left) => left.length === 0,
    );
    await give('bob', { text: 'Here I am again.' });
    expect(await ended('bob')).toBe('complete');
    expect(await said('bob')).toContain('Here I am again.');
    expect(JSON.stringify(real.model.requests.at(-1)?.body)).toContain('I wrote it.');
  });
});
