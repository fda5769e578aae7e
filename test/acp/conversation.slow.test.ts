import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN_ROLES } from '../../src/config/built-in-roles.ts';
import {
  agentOf,
  askAs,
  failure,
  history,
  idleAgent,
  until,
  waitIdle,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { acpFleet, logOf, promptsOf, questionOf, steps } from './acp-fleet.ts';

let fleet: LocalFleet;
let ask: Ask;
let workspace: string;
let worktree: string;
const prompts = mkdtempSync(join(tmpdir(), 'fleet-prompts-'));
beforeAll(async () => {
  const promptFile = join(prompts, 'prompt.md');
  writeFileSync(promptFile, 'Be thorough.\nSay why.\n');
  fleet = acpFleet({
    careful: {
      permissions: [
        { tool: 'Bash', command: 'echo *', decision: 'allow' },
        { tool: 'Write', decision: 'deny' },
      ],
    },
    hasty: { answer_within: '1s' },
    frugal: { budget: { time: '1s' } },
    modal: { mode: 'acceptEdits' },
    'wrong-mode': { mode: 'yolo' },
    small: { model: 'small', system_prompt: 'Be brief.' },
    filed: { system_prompt_file: promptFile },
    coder: {},
    operator: {},
    manager: {},
    'wrong-model': { model: 'huge' },
    echo: { command: ['cat'] },
    ends: { command: ['sh', '-c', 'echo "no such project" >&2'] },
    quiet: { silent_after: '500ms', retry: { wait: '100ms', tries: 2 } },
  });
  ask = askAs(fleet.fleet);
  const { workspace_id } = await idleAgent(ask, 'sony', { task: steps({ say: 'hello' }) });
  workspace = workspace_id;
  worktree = join(fleet.home, 'agents', workspace_id, 'work');
});
afterAll(async () => {
  await fleet[Symbol.asyncDispose]();
  rmSync(prompts, { recursive: true });
});

async function give(agent_name: string, ...script: object[]): Promise<void> {
  await ask('start_agent_task', { agent_name, task_description: steps(...script) });
}

describe('an agent that speaks ACP', () => {
  it('has its conversation in the log, whole and in order [OP-log-levels-agent]', async () => {
    await give(
      'sony',
      { think: 'hm' },
      { plan: ['one', 'two'] },
      { run: 'echo from the shell', free: true },
      { say: 'all done' },
    );
    await waitIdle(ask, 'sony');
    const lines = (await logOf(ask, 'sony')).slice(-6);
    expect(lines.map(({ level, type, message }) => [level, type, message])).toEqual([
      ['INFO', 'input', expect.stringContaining('SCRIPT:')],
      ['DEBUG', 'output', 'hm'],
      ['INFO', 'system', 'plan:\n[pending] one\n[pending] two'],
      ['INFO', 'tool', expect.stringContaining('Bash: echo from the shell')],
      ['INFO', 'tool', 'from the shell\n'],
      ['INFO', 'output', 'all done'],
    ]);
  });

  it('says what it used, by task and in all [AGENT-cost-tokens]', async () => {
    const before = (await agentOf(ask, 'sony')).tokens ?? 0;
    await give('sony', { say: 'again' });
    await waitIdle(ask, 'sony');
    expect(await agentOf(ask, 'sony')).toMatchObject({ tokens: before + 100, cost: expect.any(Number) });
    expect((await history(ask, 'sony'))[0]).toMatchObject({ state: 'complete', tokens: 100 });
  });

  it('asks before it acts, and does what it is allowed to', async () => {
    await give('sony', { write: 'allowed.txt', content: 'yes' });
    const question = await questionOf(ask, 'sony');
    expect(question).toMatchObject({
      kind: 'permission',
      agent_name: 'sony',
      options: [{ id: 'allow' }, { id: 'reject' }, { id: 'always' }],
    });
    expect(JSON.stringify(question.input)).toContain('allowed.txt');
    expect(existsSync(join(worktree, 'allowed.txt'))).toBe(false);
    await ask('respond_approval', { id: question.id, decision: 'allow' });
    await waitIdle(ask, 'sony');
    expect(readFileSync(join(worktree, 'allowed.txt'), 'utf8')).toBe('yes');
    await give('sony', { write: 'denied.txt' });
    const { id } = await questionOf(ask, 'sony');
    await ask('respond_approval', { id, decision: 'deny', note: 'not there' });
    await waitIdle(ask, 'sony');
    expect(existsSync(join(worktree, 'denied.txt'))).toBe(false);
    expect((await logOf(ask, 'sony')).at(-1)).toMatchObject({ level: 'ERROR', message: 'refused' });
    await give('sony', { say: 'I see' });
    await waitIdle(ask, 'sony');
    expect(promptsOf(fleet, workspace).at(-1)).toMatch(/denied\.txt" was denied: not there/);
  });

  it('asks a question, and receives a free answer', async () => {
    await give('sony', { ask: 'Which port?' });
    const question = await questionOf(ask, 'sony');
    expect(question).toMatchObject({ kind: 'question', tool: 'Which port?' });
    await ask('respond_approval', { id: question.id, decision: 'allow', answer: '8080' });
    await waitIdle(ask, 'sony');
    expect((await logOf(ask, 'sony')).at(-1)?.message).toBe(
      'answer: {"action":"accept","content":{"answer":"8080"}}',
    );
  });

  it('is canceled in the middle of a turn, with its question', async () => {
    await give('sony', { write: 'never.txt' });
    const { id } = await questionOf(ask, 'sony');
    await ask('cancel_agent_task', { agent_name: 'sony' });
    await waitIdle(ask, 'sony');
    expect((await history(ask, 'sony'))[0]).toMatchObject({ state: 'canceled' });
    expect((await failure(ask('respond_approval', { id, decision: 'allow' }))).code).toBe('CONFLICT');
    await give('sony', { hold: join(fleet.directory, 'never') });
    await until(
      () => agentOf(ask, 'sony'),
      ({ status }) => status === 'busy',
    );
    await ask('cancel_agent_task', { agent_name: 'sony' });
    await waitIdle(ask, 'sony');
    expect((await history(ask, 'sony'))[0]).toMatchObject({ state: 'canceled' });
  });

  it('tries again when the model fails, and goes on when it is there again', async () => {
    const mended = join(fleet.directory, 'mended');
    await give(
      'sony',
      { fail: 'API Error: 529 Overloaded', kind: 'server_error', until: mended },
      { say: 'through' },
    );
    await until(
      () => agentOf(ask, 'sony'),
      ({ status_reason }) => status_reason.includes('529 Overloaded'),
    );
    writeFileSync(mended, '');
    await waitIdle(ask, 'sony');
    expect((await history(ask, 'sony'))[0]).toMatchObject({ state: 'complete' });
    expect((await logOf(ask, 'sony')).at(-1)?.message).toBe('through');
  });

  it('fails with the reason when trying again does not help', async () => {
    await give('sony', { fail: 'API Error: 500', kind: 'server_error' });
    await waitIdle(ask, 'sony');
    expect((await history(ask, 'sony'))[0]).toMatchObject({ state: 'failed', needs_user_attention: true });
    expect((await agentOf(ask, 'sony')).status_reason).toContain('API Error: 500');
  });

  it('has standing answers by its role', async () => {
    const { workspace_id } = await idleAgent(ask, 'careful', {
      role: 'careful',
      task: steps({ run: 'echo fine' }, { write: 'no.txt' }, { say: 'end' }),
    });
    const log = (await logOf(ask, 'careful')).map(({ message }) => message);
    expect(log).toContain('fine\n');
    expect(log).toContain('refused');
    expect(existsSync(join(fleet.home, 'agents', workspace_id, 'work', 'no.txt'))).toBe(false);
  });

  it('is denied what nobody answers in time, and used-up time ends a task', async () => {
    await Promise.all([
      idleAgent(ask, 'hasty', { role: 'hasty', task: steps({ write: 'late.txt' }, { say: 'went on' }) }),
      idleAgent(ask, 'frugal', { role: 'frugal', task: steps({ silent: 60_000 }) }),
    ]);
    expect((await logOf(ask, 'hasty')).slice(-2).map(({ message }) => message)).toEqual([
      'refused',
      'went on',
    ]);
    const [task] = await history(ask, 'frugal');
    expect(task).toMatchObject({ state: 'failed' });
    expect((await agentOf(ask, 'frugal')).status_reason).toContain('budget');
  });

  it('is the model of its role, and fails to start as one that it does not have [CFG-model]', async () => {
    await idleAgent(ask, 'small', {
      role: 'small',
      task: steps({ model: true }),
      spec: 'Mind the gap',
    });
    expect((await logOf(ask, 'small')).at(-1)?.message).toBe('I am small');
    await ask('create_agent', { project: 'Setup', name: 'huge', role: 'wrong-model', task: 'x' });
    const huge = await until(
      () => agentOf(ask, 'huge'),
      ({ status }) => status === 'failed',
    );
    expect(huge.status_reason).toContain('"huge"; it has: large, small');
  });

  it('that takes no system prompt gets its role and its spec before its first task, once [FR-027]', async () => {
    await give('small', { say: 'more' });
    await waitIdle(ask, 'small');
    const [first, second] = promptsOf(fleet, (await agentOf(ask, 'small')).workspace_id);
    expect(first).toMatch(/^Be brief\.[\s\S]*Your spec[\s\S]*Mind the gap[\s\S]*SCRIPT:/);
    expect(second).toMatch(/^SCRIPT:/);
  });

  it('has the system prompt of its role, from system_prompt_file or built in [FR-027]', async () => {
    const expected = new Map(BUILT_IN_ROLES.map(({ name, system_prompt }) => [name, system_prompt ?? '']));
    expected.set('filed', 'Be thorough.\nSay why.');
    expect(expected.size).toBe(4);
    for (const [role, prompt] of expected) {
      const { workspace_id } = await idleAgent(ask, `as-${role}`, { role, task: steps({ say: 'hello' }) });
      const [first = ''] = promptsOf(fleet, workspace_id);
      expect(first.startsWith(prompt), role).toBe(true);
      for (const [other, text] of expected) expect(first.includes(text), other).toBe(other === role);
    }
  });

  it('without a spec gets none, and one with nothing but a spec has it as its task [AGENT-spec-told]', async () => {
    const unbound = await idleAgent(ask, 'unbound', { task: steps({ say: 'hello' }) });
    expect(unbound.spec).toBe(steps({ say: 'hello' }));
    const [told] = promptsOf(fleet, unbound.workspace_id);
    expect(told).toContain('in the role acp');
    expect(told).not.toMatch(/spec/i);
    const spec = steps({ say: 'by the spec' });
    await ask('create_agent', { project: 'Setup', name: 'bound', spec });
    await waitIdle(ask, 'bound');
    expect(await agentOf(ask, 'bound')).toMatchObject({ spec, last_task: spec, last_result: 'by the spec' });
    expect(await failure(ask('create_agent', { project: 'Setup', name: 'nothing' }))).toMatchObject({
      code: 'INVALID_INPUT',
      details: { field: 'task' },
    });
    for (const role of BUILT_IN_ROLES)
      expect(role.system_prompt?.replace('as a spec with an objective', '')).not.toMatch(/\bspec\b/);
  });

  it('that is silent is asked again, and fails in the end with the reason', async () => {
    await idleAgent(ask, 'quiet', { role: 'quiet', task: steps({ say: 'hello' }) });
    await give('quiet', { silent: 60_000 });
    await until(
      () => agentOf(ask, 'quiet'),
      ({ status_reason }) => status_reason.includes('trying again'),
    );
    await waitIdle(ask, 'quiet');
    expect((await history(ask, 'quiet'))[0]).toMatchObject({ state: 'failed', needs_user_attention: true });
    expect((await agentOf(ask, 'quiet')).status_reason).toContain('no sign of life');
  });

  it('works in the mode of its role, and fails to start in one that it does not have', async () => {
    await idleAgent(ask, 'modal', { role: 'modal', task: steps({ say: 'x' }) });
    await ask('create_agent', { project: 'Setup', name: 'odd', role: 'wrong-mode', task: 'x' });
    const odd = await until(
      () => agentOf(ask, 'odd'),
      ({ status }) => status === 'failed',
    );
    expect(odd.status_reason).toContain('"yolo"; it has: default, acceptEdits');
  });

  it.each([
    ['talks to itself', 'echo', 'cat'],
    ['ends with a complaint', 'ends', 'no such project'],
  ])('that %s does not speak ACP, and its status says so and what to do', async (_, role, word) => {
    await ask('create_agent', { project: 'Setup', name: role, role, task: 'x' });
    const { status_reason } = await until(
      () => agentOf(ask, role),
      ({ status }) => status === 'failed',
    );
    for (const part of ['does not speak ACP', word, 'command of the role'])
      expect(status_reason).toContain(part);
  });
});
