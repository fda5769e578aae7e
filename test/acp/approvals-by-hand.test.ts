import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvents } from '../doors/event-reader.ts';
import { runFleet, serveFleet, type Finished } from '../support/fleet-process.ts';
import { agentOf, askAs, idleAgent, until, waitIdle, type Ask } from '../support/fleet-under-test.ts';
import type { LocalFleet } from '../support/local-fleet.ts';
import { acpFleet, logOf, questionOf, steps } from './acp-fleet.ts';

let fleet: LocalFleet;
let ask: Ask;
let worktree: string;
beforeAll(async () => {
  fleet = acpFleet();
  ask = askAs(fleet.fleet);
  const { workspace_id } = await idleAgent(ask, 'sony', { task: steps({ say: 'hello' }) });
  worktree = join(fleet.home, 'worktrees', workspace_id);
});
afterAll(() => fleet[Symbol.asyncDispose]());

const run = (...args: string[]): Promise<Finished> => runFleet(args, { env: fleet.env });

async function asks(...files: readonly string[]): Promise<string> {
  await ask('start_agent_task', {
    agent_name: 'sony',
    task_description: steps(...files.map((file) => ({ write: file }))),
  });
  return (await questionOf(ask, 'sony')).id;
}

describe('a question of an agent, in a terminal', () => {
  it('is listed, allowed and denied by the agent’s name or its own id [CLI-approvals]', async () => {
    const yes = await asks('yes.txt');
    const [forPeople, forPrograms] = await Promise.all([run('approvals'), run('approvals', '--json')]);
    for (const word of [yes, 'sony', 'yes.txt']) expect(forPeople.stdout).toContain(word);
    expect(JSON.parse(forPrograms.stdout)).toMatchObject({ approvals: [{ id: yes }], total_count: 1 });
    expect(await run('approve', 'sony')).toMatchObject({ code: 0 });
    await waitIdle(ask, 'sony');
    const no = await asks('no.txt');
    expect(await run('deny', no)).toMatchObject({ code: 0 });
    await waitIdle(ask, 'sony');
    expect([existsSync(join(worktree, 'yes.txt')), existsSync(join(worktree, 'no.txt'))]).toEqual([
      true,
      false,
    ]);
    expect((await run('approvals')).stdout).not.toContain('sony');
    const none = await run('approve', 'sony');
    expect(none.code).not.toBe(0);
    expect(none.stderr).toContain('sony');
  });

  it('is not answered by a command that began before it was asked', async () => {
    const first = await asks('first.txt', 'second.txt');
    const began = join(fleet.directory, 'began');
    const goOn = join(fleet.directory, 'go-on');
    const hold = join(fleet.directory, 'hold.mjs');
    writeFileSync(
      hold,
      `import { existsSync, writeFileSync } from 'node:fs';
       writeFileSync(${JSON.stringify(began)}, '');
       while (!existsSync(${JSON.stringify(goOn)})) await new Promise((done) => setTimeout(done, 10));`,
    );
    const late = runFleet(['approve', 'sony'], { env: { ...fleet.env, NODE_OPTIONS: `--import=${hold}` } });
    await until(async () => existsSync(began), Boolean);
    await ask('respond_approval', { id: first, decision: 'deny' });
    const second = await until(
      () => questionOf(ask, 'sony'),
      ({ id }) => id !== first,
    );
    writeFileSync(goOn, '');
    const { code, stderr } = await late;
    expect(code).toBe(4);
    for (const word of [second.id, 'fleet approvals sony']) expect(stderr).toContain(word);
    expect((await questionOf(ask, 'sony')).id).toBe(second.id);
    expect(await run('approve', 'sony')).toMatchObject({ code: 0 });
    await waitIdle(ask, 'sony');
    expect([existsSync(join(worktree, 'first.txt')), existsSync(join(worktree, 'second.txt'))]).toEqual([
      false,
      true,
    ]);
  });

  it('takes words where words are wanted, and nowhere else', async () => {
    const permission = await asks('plain.txt');
    const words = await run('approve', 'sony', '--answer', 'foo');
    expect(words).toMatchObject({ code: 2, stderr: expect.stringContaining('foo') });
    await ask('respond_approval', { id: permission, decision: 'deny' });
    await waitIdle(ask, 'sony');
    await ask('start_agent_task', { agent_name: 'sony', task_description: steps({ ask: 'Which port?' }) });
    await questionOf(ask, 'sony');
    const none = await run('approve', 'sony');
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('--answer') });
    expect(await run('approve', 'sony', '--answer', '8080')).toMatchObject({ code: 0 });
    await waitIdle(ask, 'sony');
    expect((await logOf(ask, 'sony')).at(-1)?.message).toContain('"answer":"8080"');
  });

  it('is told to whoever listens, and so is its answer [EV-approval]', async () => {
    await using served = await serveFleet(fleet.env);
    await using listener = await readEvents(served);
    const id = await asks('told.txt');
    await ask('respond_approval', { id, decision: 'allow' });
    await waitIdle(ask, 'sony');
    const frames = await listener.until((seen) => seen.some(({ event }) => event === 'approval.answered'));
    const told = frames.filter(({ event }) => event.startsWith('approval.'));
    expect(told.map(({ event }) => event)).toEqual(['approval.asked', 'approval.answered']);
    for (const { data } of told) expect(data).toMatchObject({ agent_name: 'sony', approval_id: id });
  });

  it('closes with the agent that is deleted', async () => {
    const id = await asks('never.txt');
    await ask('delete_agent', { agent_name: 'sony' });
    expect((await ask('list_approvals', {}))['total_count']).toBe(0);
    await expect(ask('respond_approval', { id, decision: 'allow' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(agentOf(ask, 'sony')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
