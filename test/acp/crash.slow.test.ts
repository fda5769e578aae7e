import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { JournalReader } from '../../src/runner/journal/journal-reader.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  history,
  idleAgent,
  until,
  waitIdle,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { processesOf, runnerOf } from '../operations/processes-of.ts';
import { acpFleet, logOf, promptsOf, questionOf, steps } from './acp-fleet.ts';

const ids = new Map<string, string>();
const it = fleetTest(() => acpFleet({ going: { on_crash: 'resume' } }));
it.beforeAll(async ({ ask }) => {
  const cast = { sony: 'acp', papi: 'going', quota: 'acp', other: 'acp' };
  await Promise.all(
    Object.entries(cast).map(async ([name, role]) => {
      const { workspace_id } = await idleAgent(ask, name, { role, task: steps({ say: 'hello' }) });
      ids.set(name, workspace_id);
    }),
  );
});

async function give(ask: Ask, agent_name: string, ...script: object[]): Promise<void> {
  await ask('start_agent_task', { agent_name, task_description: steps(...script) });
}

function killRunner(fleet: LocalFleet, name: string): void {
  const pid = runnerOf(fleet, ids.get(name) ?? '');
  if (pid === undefined) throw new Error(`${name} has no runner`);
  process.kill(pid, 'SIGKILL');
}

function factsOf(fleet: LocalFleet, name: string) {
  using reader = JournalReader.open(join(fleet.home, 'agents', ids.get(name) ?? '', 'journal.db'));
  return reader?.facts().map(({ body }) => body) ?? [];
}

/** Waits until a script has come to the step that holds. */
async function held(fleet: LocalFleet, name: string): Promise<void> {
  await until(
    async () => factsOf(fleet, name).filter(({ kind }) => kind === 'tool.opened').length,
    (count) => count > 0,
  );
}

describe.skipIf(process.platform !== 'linux')('an agent that speaks ACP', () => {
  it('whose process dies ends its task as interrupted, and does the next in the same session', async ({
    fleet,
    ask,
  }) => {
    await give(
      ask,
      'sony',
      { say: 'before' },
      { crash: join(fleet.directory, 'crashed-sony') },
      { say: 'after' },
    );
    await waitIdle(ask, 'sony');
    expect((await history(ask, 'sony'))[0]).toMatchObject({
      state: 'interrupted',
      needs_user_attention: true,
    });
    await give(ask, 'sony', { say: 'next' });
    await waitIdle(ask, 'sony');
    expect((await history(ask, 'sony'))[0]).toMatchObject({ state: 'complete' });
    expect(sessionsOf(fleet, 'sony')).toEqual({ ids: 1, how: ['new', 'resumed'] });
  });

  it('whose process dies goes on where its role says so, and is notified [OP-on-crash-resume]', async ({
    fleet,
    ask,
  }) => {
    const mark = join(fleet.directory, 'marks');
    await give(
      ask,
      'papi',
      { run: `echo once >> '${mark}'`, free: true },
      { crash: join(fleet.directory, 'crashed-papi') },
      { say: 'after' },
    );
    await waitIdle(ask, 'papi');
    expect((await history(ask, 'papi'))[0]).toMatchObject({ state: 'complete' });
    expect((await logOf(ask, 'papi')).at(-1)?.message).toBe('after');
    expect(readFileSync(mark, 'utf8')).toBe('once\n');
    expect(promptsOf(fleet, ids.get('papi') ?? '').at(-1)).toContain(
      'You were cut off in the middle of a task',
    );
  });

  it('whose runner dies goes on with the next look of a server, or of a write, in one session', async ({
    fleet,
    ask,
  }) => {
    const go = join(fleet.directory, 'go-papi');
    await give(ask, 'papi', { run: 'true', free: true }, { hold: go }, { say: 'finished' });
    await held(fleet, 'papi');
    killRunner(fleet, 'papi');
    const agent = await until(
      () => agentOf(ask, 'papi'),
      ({ status }) => status !== 'busy',
    );
    expect(agent).toMatchObject({ status: 'pending' });
    expect(agent.status_reason).toContain('the task continues');
    expect(processesOf(fleet, ids.get('papi') ?? '')).toEqual([]);
    writeFileSync(go, '');
    await ask('start_agent_task', {
      agent_name: 'papi',
      task_description: steps({ say: 'queued' }),
      when_busy: 'queue',
    });
    await waitIdle(ask, 'papi');
    const [queued, task] = await history(ask, 'papi');
    expect([queued?.state, task?.state]).toEqual(['complete', 'complete']);
    expect(factsOf(fleet, 'papi').filter(({ kind }) => kind === 'task.resumed')).toHaveLength(1);
    expect(sessionsOf(fleet, 'papi').ids).toBe(1);
  });

  it('whose runner dies with a question open has it closed, and the outcome of the call is unknown', async ({
    fleet,
    ask,
  }) => {
    await give(ask, 'sony', { write: 'asked.txt' });
    const { id } = await questionOf(ask, 'sony');
    killRunner(fleet, 'sony');
    await until(
      () => agentOf(ask, 'sony'),
      ({ status }) => status !== 'busy',
    );
    expect((await ask('list_approvals', {}))['total_count']).toBe(0);
    await expect(ask('respond_approval', { id, decision: 'allow' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(
      factsOf(fleet, 'sony')
        .filter((fact) => fact.kind === 'tool.ended')
        .at(-1),
    ).toMatchObject({ state: 'unknown' });
    expect((await history(ask, 'sony'))[0]).toMatchObject({ state: 'interrupted' });
  });

  it('whose account is without quota parks all agents of that account, until somebody says so', async ({
    fleet,
    ask,
  }) => {
    const mended = join(fleet.directory, 'paid');
    const fails = { fail: "You've hit your 5-hour limit", kind: 'rate_limit', until: mended };
    await give(ask, 'quota', fails, { say: 'on' });
    await until(
      () => agentOf(ask, 'quota'),
      ({ status_reason }) => status_reason.includes('parked'),
    );
    await give(ask, 'other', { say: 'on too' });
    const other = await until(
      () => agentOf(ask, 'other'),
      ({ status_reason }) => status_reason.includes('parked'),
    );
    expect(other).toMatchObject({ status: 'busy', needs_attention: true, stuck: false });
    writeFileSync(mended, '');
    await ask('acknowledge_agent', { agent_name: 'other' });
    await waitIdle(ask, 'quota', 'other');
    for (const name of ['quota', 'other'])
      expect((await history(ask, name))[0]).toMatchObject({ state: 'complete' });
  });
});

function sessionsOf(fleet: LocalFleet, name: string): { ids: number; how: string[] } {
  const opened = factsOf(fleet, name).filter((fact) => fact.kind === 'session.opened');
  return { ids: new Set(opened.map(({ session_id }) => session_id)).size, how: opened.map(({ how }) => how) };
}
