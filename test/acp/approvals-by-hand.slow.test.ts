import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { readEvents } from '../server/event-reader.ts';
import { runFleet, serveFleet, type Finished } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentOf, idleAgent, until, waitIdle, type Ask } from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { acpFleet, logOf, questionOf, steps } from './acp-fleet.ts';

let worktree: string;
const it = fleetTest(() => acpFleet());
it.beforeAll(async ({ fleet, ask }) => {
  const { workspace_id } = await idleAgent(ask, 'sony', { task: steps({ say: 'hello' }) });
  worktree = join(fleet.home, 'agents', workspace_id, 'work');
});

const run = (fleet: LocalFleet, ...args: string[]): Promise<Finished> => runFleet(args, { env: fleet.env });

async function asks(ask: Ask, ...files: readonly string[]): Promise<string> {
  await ask('start_agent_task', {
    agent_name: 'sony',
    task_description: steps(...files.map((file) => ({ write: file }))),
  });
  return (await questionOf(ask, 'sony')).id;
}

describe('a question of an agent, in a terminal', () => {
  it('is listed, allowed and denied by the agent’s name or its own id [CLI-approvals]', async ({
    fleet,
    ask,
  }) => {
    const yes = await asks(ask, 'yes.txt');
    const [forPeople, forPrograms] = await Promise.all([
      run(fleet, 'approvals'),
      run(fleet, 'approvals', '--json'),
    ]);
    for (const word of [yes, 'sony', 'yes.txt']) expect(forPeople.stdout).toContain(word);
    expect(JSON.parse(forPrograms.stdout)).toMatchObject({ approvals: [{ id: yes }], total_count: 1 });
    expect(await run(fleet, 'approve', 'sony')).toMatchObject({ code: 0 });
    await waitIdle(ask, 'sony');
    const no = await asks(ask, 'no.txt');
    expect(await run(fleet, 'deny', no)).toMatchObject({ code: 0 });
    await waitIdle(ask, 'sony');
    expect([existsSync(join(worktree, 'yes.txt')), existsSync(join(worktree, 'no.txt'))]).toEqual([
      true,
      false,
    ]);
    expect((await run(fleet, 'approvals')).stdout).not.toContain('sony');
    const none = await run(fleet, 'approve', 'sony');
    expect(none.code).not.toBe(0);
    expect(none.stderr).toContain('sony');
  });

  it('can be read: a command, a diff or a question, when it expires and how to answer it', async ({
    fleet,
    ask,
  }) => {
    const seen = async (step: object): Promise<{ full: string; show: string }> => {
      await ask('start_agent_task', { agent_name: 'sony', task_description: steps(step) });
      await questionOf(ask, 'sony');
      const [full, show] = await Promise.all([run(fleet, 'approvals', 'sony'), run(fleet, 'show', 'sony')]);
      expect(await run(fleet, 'deny', 'sony')).toMatchObject({ code: 0 });
      await waitIdle(ask, 'sony');
      return { full: full.stdout, show: show.stdout };
    };
    const command = await seen({ run: 'make all' });
    expect(command.full).toMatch(/sony wants to run a command {2}\(asked \d+s ago, expires in \d+ min\)/);
    expect(command.full).toContain('\n  $ make all\n');
    for (const answer of ['fleet approve', '--option always', 'fleet deny'])
      expect(command.full).toContain(answer);
    expect(command.full).not.toContain('{');
    expect(command.show).toContain('wants to run a command: make all');
    expect(command.show).toContain('fleet approve sony');
    expect(command.show).not.toContain('fleet ack');
    const edit = await seen({ write: 'a.txt', before: 'one\ntwo\n', content: 'one\nTWO\n' });
    expect(edit.full).toMatch(
      /--- .*a\.txt\n.*\+\+\+ .*a\.txt\n {2}@@ -1,2 \+1,2 @@\n {3}one\n {2}-two\n {2}\+TWO\n/,
    );
    const question = await seen({ ask: 'Which port?', choices: ['80', '8080'] });
    expect(question.full).toContain('\n  Which port?\n');
    expect(question.full).toMatch(/fleet approve \S+ --option 8080/);
    expect(question.show).toContain('asks a question: Which port?');
  });

  it('is not answered by a command that began before it was asked', async ({ fleet, ask }) => {
    const first = await asks(ask, 'first.txt', 'second.txt');
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
    expect(await run(fleet, 'approve', 'sony')).toMatchObject({ code: 0 });
    await waitIdle(ask, 'sony');
    expect([existsSync(join(worktree, 'first.txt')), existsSync(join(worktree, 'second.txt'))]).toEqual([
      false,
      true,
    ]);
  });

  it('takes words where words are wanted, and nowhere else', async ({ fleet, ask }) => {
    const permission = await asks(ask, 'plain.txt');
    const words = await run(fleet, 'approve', 'sony', '--answer', 'foo');
    expect(words).toMatchObject({ code: 2, stderr: expect.stringContaining('foo') });
    await ask('respond_approval', { id: permission, decision: 'deny' });
    await waitIdle(ask, 'sony');
    await ask('start_agent_task', { agent_name: 'sony', task_description: steps({ ask: 'Which port?' }) });
    await questionOf(ask, 'sony');
    const none = await run(fleet, 'approve', 'sony');
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('--answer') });
    expect(await run(fleet, 'approve', 'sony', '--answer', '8080')).toMatchObject({ code: 0 });
    await waitIdle(ask, 'sony');
    expect((await logOf(ask, 'sony')).at(-1)?.message).toContain('"answer":"8080"');
  });

  it.for([
    {
      form: {
        properties: { colour: { enum: ['red', 'green'] }, why: { type: 'string' } },
        required: ['colour'],
      },
      shows: ['colour: one of: red, green (required)', 'why: text'],
      refused: [[], ['--answer', 'blue'], ['--answer', '{"why": "blue"}']],
      says: 'red, green|fields: colour',
      answer: 'green',
      content: '{"colour":"green"}',
    },
    {
      form: { properties: { port: { type: 'integer' } }, required: ['port'] },
      shows: ['port: a whole number (required)'],
      refused: [[], ['--answer', 'abc'], ['--answer', '3.7']],
      says: 'whole number',
      answer: '8080',
      content: '{"port":8080}',
    },
    {
      form: { properties: { sure: { type: 'boolean' } } },
      shows: ['--answer yes', '--answer no'],
      refused: [[], ['--answer', 'eighty']],
      says: 'yes or no',
      answer: 'no',
      content: '{"sure":false}',
    },
    {
      form: { properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a', 'b'] },
      shows: ['a: text (required)', 'b: text (required)', `--answer '{"a": "TEXT", "b": "TEXT"}'`],
      refused: [[], ['--answer', 'x'], ['--answer', '{"a": "x", "c": "y"}']],
      says: 'a, b',
      answer: '{"a": "x", "b": "y"}',
      content: '{"a":"x","b":"y"}',
    },
  ])(
    'gets only an answer that fits its form: $content',
    async ({ form, shows, refused, says, answer, content }, { fleet, ask }) => {
      const task_description = steps({ ask: 'What?', form: { type: 'object', ...form } });
      await ask('start_agent_task', { agent_name: 'sony', task_description });
      const { id } = await questionOf(ask, 'sony');
      const full = await run(fleet, 'approvals', id);
      for (const line of shows) expect(full.stdout).toContain(line);
      for (const words of refused) {
        const wrong = await run(fleet, 'approve', 'sony', ...words);
        expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(says) });
      }
      expect(await run(fleet, 'approve', 'sony', '--answer', answer)).toMatchObject({ code: 0 });
      await waitIdle(ask, 'sony');
      expect((await logOf(ask, 'sony')).at(-1)?.message).toBe(
        `answer: {"action":"accept","content":${content}}`,
      );
    },
  );

  it('is sent to subscribers, and so is its answer [EV-approval]', async ({ fleet, ask }) => {
    await using served = await serveFleet(fleet.env);
    await using listener = await readEvents(served);
    const id = await asks(ask, 'told.txt');
    await ask('respond_approval', { id, decision: 'allow' });
    await waitIdle(ask, 'sony');
    const frames = await listener.until((seen) => seen.some(({ event }) => event === 'approval.answered'));
    const told = frames.filter(({ event }) => event.startsWith('approval.'));
    expect(told.map(({ event }) => event)).toEqual(['approval.asked', 'approval.answered']);
    for (const { data } of told) expect(data).toMatchObject({ agent_name: 'sony', approval_id: id });
  });

  it('closes with the agent that is deleted', async ({ ask }) => {
    const id = await asks(ask, 'never.txt');
    await ask('delete_agent', { agent_name: 'sony' });
    expect((await ask('list_approvals', {}))['total_count']).toBe(0);
    await expect(ask('respond_approval', { id, decision: 'allow' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(agentOf(ask, 'sony')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
