import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetLogins } from '../../src/agents/fleet-logins.ts';
import { JournalReader } from '../../src/runner/journal/journal-reader.ts';
import { logOf, questionOf } from '../acp/acp-fleet.ts';
import { processesOf, runnerOf } from '../operations/processes-of.ts';
import {
  agentOf,
  askAs,
  failure,
  history,
  idleAgent,
  until,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { scriptText } from '../support/model-server/model-script.ts';
import { without } from './agents-cache.ts';
import { realFleet, type RealFleet } from './real-fleet.ts';

type Step = Parameters<typeof scriptText>[0][number];

const { missing, why } = without('claude');
const ALLOW_ALL = { permissions: [{ tool: '*', decision: 'allow' }] };

describe.skipIf(missing)(`the real Claude Code in a fleet${why}`, () => {
  let real: RealFleet;
  let ask: Ask;
  const ids = new Map<string, string>();

  beforeAll(async () => {
    real = await realFleet('claude', {
      free: ALLOW_ALL,
      going: { ...ALLOW_ALL, on_crash: 'resume' },
      hasty: { answer_within: '1s' },
      lead: { ...ALLOW_ALL, team: { agents: 2 } },
      frugal: { ...ALLOW_ALL, budget: { tokens: 20 } },
      poor: { ...ALLOW_ALL, budget: { cost: 0.0001 } },
    });
    ask = askAs(real.fleet.fleet);
    await Promise.all([make('ada', 'coder'), make('bob', 'free')]);
  });
  afterAll(() => real[Symbol.asyncDispose]());

  async function make(name: string, role: string, ...steps: Step[]): Promise<void> {
    const script = steps.length === 0 ? [{ text: 'Ready.' }] : steps;
    const { workspace_id } = await idleAgent(ask, name, { role, task: scriptText(script) });
    ids.set(name, workspace_id);
  }

  async function give(agent_name: string, ...steps: Step[]): Promise<void> {
    await ask('start_agent_task', { agent_name, task_description: scriptText(steps) });
  }

  async function ended(name: string): Promise<string> {
    const answer = await ask('wait_for_agents', { agent_names: name, timeout_seconds: 150 });
    expect(answer['timed_out'], JSON.stringify(answer['agents'])).toBe(false);
    return String((await history(ask, name)).find(({ kind }) => kind === 'task')?.state);
  }

  const said = async (name: string): Promise<string[]> =>
    (await logOf(ask, name)).map(({ message }) => message);
  const placeOf = (name: string): string => join(real.fleet.home, 'agents', ids.get(name) ?? '', 'work');
  const write = (file: string, content: string): Step => ({
    tool: 'Write',
    input: { file_path: file, content },
  });
  const bash = (command: string): Step => ({ tool: 'Bash', input: { command, description: 'does it' } });

  it("is logged in by the fleet's own login, which no output shows", async () => {
    const token = 'sk-ant-oat01-a-token-for-tests';
    new FleetLogins(real.fleet.home).write('claude', token);
    real.fleet.configure(({ roles }) => {
      const { free = {} } = roles;
      const { ANTHROPIC_API_KEY: _, ...env } = free['env'] as Record<string, string>;
      roles['fleet-login'] = { ...free, env };
    });
    const before = real.model.requests.length;
    await make('lou', 'fleet-login', { text: `It is ${token}.` });
    const [asked] = real.model.requests.slice(before);
    expect(asked?.headers['authorization']).toBe(`Bearer ${token}`);
    expect(await said('lou')).toContain('It is [hidden].');
    expect((await history(ask, 'lou'))[0]).toMatchObject({ result: 'It is [hidden].' });
  });

  it('edits a file and runs a command, and its conversation is the log', async () => {
    const file = join(placeOf('bob'), 'made.txt');
    await give(
      'bob',
      { thinking: 'A plan.', text: 'I will write it.', ...write(file, 'by Claude\n') },
      bash('git add -A && git -c user.name=c -c user.email=c@d commit -qm made && git log --format=%s -1'),
      { text: 'All done.' },
    );
    expect(await ended('bob')).toBe('complete');
    expect(readFileSync(file, 'utf8')).toBe('by Claude\n');
    const log = await said('bob');
    expect(log).toContain('I will write it.');
    expect(log).toContain('All done.');
    expect(log.some((line) => line.startsWith('made'))).toBe(true);
    const agent = await agentOf(ask, 'bob');
    expect(agent.git).toMatchObject({ ahead: 1 });
    expect(agent.tokens).toBeGreaterThan(0);
    expect((await history(ask, 'bob'))[0]?.tokens).toBeGreaterThan(0);
  });

  it('does not go over its budget unnoticed, by tokens or by money', async () => {
    await Promise.all([make('kay', 'frugal', { text: 'Done.' }), make('pia', 'poor', { text: 'Done.' })]);
    for (const [name, unit] of [
      ['kay', 'tokens'],
      ['pia', '$'],
    ] as const) {
      const [task] = await history(ask, name);
      expect(task).toMatchObject({
        state: 'failed',
        result: expect.stringMatching(/^budget: the task used/),
      });
      expect(task?.['result']).toContain(unit);
      expect(task?.['result']).toContain('Done.');
      const refused = await failure(ask('start_agent_task', { agent_name: name, task_description: 'more' }));
      expect(refused).toMatchObject({ code: 'CONFLICT', details: { reason: 'budget' } });
    }
    real.fleet.configure((config) => {
      Object.assign(config.roles['frugal'] ?? {}, { budget: { tokens: 1_000_000 } });
    });
    await ask('restart_agent', { agent_name: 'kay' });
    await ask('wait_for_agents', { agent_names: 'kay', timeout_seconds: 100 });
    await give('kay', { text: 'Within it.' });
    expect(await ended('kay')).toBe('complete');
    expect((await history(ask, 'kay'))[0]).toMatchObject({ result: 'Within it.' });
  });

  it('asks for permission, and does what it is allowed to and not what it is denied', async () => {
    const [yes, no] = [join(placeOf('ada'), 'yes.txt'), join(placeOf('ada'), 'no.txt')];
    await give('ada', write(yes, 'yes'), { text: 'ok' });
    const question = await questionOf(ask, 'ada');
    expect(question).toMatchObject({ kind: 'permission', agent_name: 'ada' });
    expect(JSON.stringify(question.input)).toContain('"newText":"yes"');
    expect(await agentOf(ask, 'ada')).toMatchObject({ status: 'busy', needs_attention: true });
    await ask('respond_approval', { id: question.id, decision: 'allow' });
    expect(await ended('ada')).toBe('complete');
    await give('ada', write(no, 'no'), { text: 'then not' });
    const { id } = await questionOf(ask, 'ada');
    await ask('respond_approval', { id, decision: 'deny', note: 'the other name was better' });
    expect(await ended('ada')).toBe('complete');
    expect([existsSync(yes), existsSync(no)]).toEqual([true, false]);
    expect(await said('ada')).toContain('then not');
    expect(JSON.stringify(real.model.requests.at(-1)?.body)).toContain('the other name was better');
  });

  it('is denied what nobody answers, and goes on', async () => {
    await make('tim', 'hasty');
    await give('tim', write(join(placeOf('tim'), 'late.txt'), 'x'), { text: 'went on without' });
    expect(await ended('tim')).toBe('complete');
    expect(existsSync(join(placeOf('tim'), 'late.txt'))).toBe(false);
    expect(await said('tim')).toContain('went on without');
  });

  it('reports and queues a task for itself by the tools that it is given', async () => {
    await give(
      'bob',
      { tool: 'mcp__fleet__report_task', input: { message: 'half way', uri: 'https://example.com/7' } },
      {
        tool: 'mcp__fleet__start_agent_task',
        input: { task_description: scriptText([{ text: 'my own task' }]) },
      },
      { text: 'queued' },
    );
    expect(await ended('bob')).toBe('complete');
    const rows = await until(
      () => history(ask, 'bob'),
      (all) =>
        all.some(({ source, state, kind }) => source === 'agent' && kind === 'task' && state === 'complete'),
    );
    expect(rows.find(({ kind }) => kind === 'report')).toMatchObject({
      message: 'half way',
      uri: 'https://example.com/7',
    });
    expect(await said('bob')).toContain('my own task');
  });

  it('knows the fleet from its system prompt, and a spec only when it was given one', async () => {
    const first = JSON.stringify(real.model.requests.find(({ step }) => step !== null)?.body);
    expect(first.includes('report_task for milestones')).toBe(true);
    expect(first.includes('Your spec')).toBe(false);
    const before = real.model.requests.length;
    await idleAgent(ask, 'spy', {
      role: 'free',
      task: scriptText([{ text: 'Ready.' }]),
      spec: 'Mind the gap.',
    });
    const told = JSON.stringify(real.model.requests.slice(before).find(({ step }) => step !== null)?.body);
    expect(told.includes('Your spec, which all your tasks converge on')).toBe(true);
    expect(told.includes('Mind the gap.')).toBe(true);
  });

  it('is canceled in the middle of a stream and of a command, and nothing of it is left', async () => {
    await give('bob', { text: 'this is never said to its end', hold: join(real.fleet.directory, 'never') });
    await until(
      () => agentOf(ask, 'bob'),
      ({ status }) => status === 'busy',
    );
    await ask('cancel_agent_task', { agent_name: 'bob' });
    expect(await ended('bob')).toBe('canceled');
    const mark = join(real.fleet.directory, 'blocking');
    await give('bob', bash(`touch '${mark}'; tail -f /dev/null`));
    await until(async () => existsSync(mark), Boolean);
    await ask('cancel_agent_task', { agent_name: 'bob' });
    expect(await ended('bob')).toBe('canceled');
  });

  it('goes on after kill -9 of its runner in the middle of a command, once, and told so', async () => {
    await make('eve', 'going');
    const [begun, go, marks] = ['begun', 'go', 'marks'].map((name) =>
      join(real.fleet.directory, `eve-${name}`),
    );
    await give(
      'eve',
      bash(`echo once >> '${marks}'`),
      bash(`touch '${begun}'; while [ ! -e '${go}' ]; do sleep 0.1; done`),
      { text: 'finished after all' },
    );
    await until(async () => existsSync(begun ?? ''), Boolean);
    const pid = runnerOf(real.fleet, ids.get('eve') ?? '');
    process.kill(pid ?? 0, 'SIGKILL');
    const lost = await until(
      () => agentOf(ask, 'eve'),
      ({ status }) => status !== 'busy',
    );
    expect(lost.status).toBe('pending');
    expect(processesOf(real.fleet, ids.get('eve') ?? '')).toEqual([]);
    writeFileSync(go ?? '', '');
    await ask('set_agent_metadata', { agent_name: 'eve', key: 'fleet_mcp_x', value: 'y' });
    await ask('start_agent_task', {
      agent_name: 'eve',
      task_description: scriptText([{ text: 'next' }]),
      when_busy: 'queue',
    });
    expect(await ended('eve')).toBe('complete');
    expect(readFileSync(marks ?? '', 'utf8')).toBe('once\n');
    expect(await said('eve')).toContain('finished after all');
    using reader = JournalReader.open(join(real.fleet.home, 'agents', ids.get('eve') ?? '', 'journal.db'));
    const facts = reader?.facts().map(({ body }) => body) ?? [];
    expect(facts.filter((fact) => fact.kind === 'tool.ended' && fact.state === 'unknown')).toHaveLength(1);
    expect(
      new Set(facts.flatMap((fact) => (fact.kind === 'session.opened' ? [fact.session_id] : []))).size,
    ).toBe(1);
  });

  it('tries again after a broken stream and an overloaded model', async () => {
    const mended = join(real.fleet.directory, 'mended');
    await give('bob', { text: 'through at last', error: 'overloaded', fault_until: mended });
    await until(
      () => agentOf(ask, 'bob'),
      ({ status_reason }) => status_reason.includes('trying again'),
    );
    writeFileSync(mended, '');
    expect(await ended('bob')).toBe('complete');
    expect(await said('bob')).toContain('through at last');
  });

  it('is parked without credit, until somebody says that there is some', async () => {
    const paid = join(real.fleet.directory, 'paid');
    await give('bob', { text: 'paid for', error: 'credit', fault_until: paid });
    const parked = await until(
      () => agentOf(ask, 'bob'),
      ({ status_reason }) => status_reason.includes('parked'),
    );
    expect(parked).toMatchObject({ status: 'busy', needs_attention: true });
    writeFileSync(paid, '');
    await ask('acknowledge_agent', { agent_name: 'bob' });
    expect(await ended('bob')).toBe('complete');
    expect(await said('bob')).toContain('paid for');
  });

  it('says much, and all of it is in the log', async () => {
    await give('bob', { text: `${'word '.repeat(99)}end. `, repeat: 200 });
    expect(await ended('bob')).toBe('complete');
    const { logs } = await ask('show_agent_log', { agent_name: 'bob', page_size: 20 });
    const text = (logs as { type: string; message: string }[])
      .filter(({ type }) => type === 'output')
      .map(({ message }) => message)
      .toReversed()
      .join('');
    expect(text.split('end.').length).toBeGreaterThanOrEqual(200);
  });

  it('runs a team of two as a manager', async () => {
    const coder = (name: string) => ({
      tool: 'mcp__team__create_agent',
      input: { project: 'Setup', name, role: 'free', task: scriptText([{ text: `I am ${name}` }]) },
    });
    await make('max', 'lead');
    await give(
      'max',
      coder('kid-one'),
      coder('kid-two'),
      { tool: 'mcp__team__wait_for_agents', input: { agent_names: 'kid-one,kid-two', timeout_seconds: 120 } },
      { text: 'my team is done' },
    );
    expect(await ended('max')).toBe('complete');
    for (const name of ['kid-one', 'kid-two']) {
      expect(await agentOf(ask, name)).toMatchObject({ status: 'idle', created_by: 'agent:max' });
      expect(await said(name)).toContain(`I am ${name}`);
    }
  });
});
