import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { openStore } from '../../src/backends/local/records/open-store.ts';
import { actorOf } from '../../src/domain/principal.ts';
import { landAgent } from '../../src/operations/land-agent.ts';
import { invoke } from '../../src/operations/invoke.ts';
import { LandingStore, newLanding } from '../../src/store/landing-store.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  agentsOf,
  failure,
  history,
  HUMAN,
  idleAgent,
  until,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { keepOnce, localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';

const it = fleetTest(() =>
  localFleet((config) => {
    Object.assign(config.projects['Setup'] ?? {}, { default_role: 'shell', checks: { tests: 'sh test.sh' } });
  }),
);

const commit = (file: string): string =>
  `echo x > ${file}; git add .; git -c user.name=A -c user.email=a@localhost commit --quiet -m ${file}`;

describe('a landing whose caller has left', () => {
  it('answers how it ended, and is the only one [OP-land_agent-goes-on]', async ({ fleet, ask }) => {
    const before = await slowAgent(fleet, ask, { name: 'slow', check: 'sleep 1971; true' });
    const input = { agent_name: 'slow', delete_after: true, idempotency_key: 'one' };
    const first = await leaveWhileChecking(fleet, input, 'sleep 1971');
    expect(first.answer).toMatchObject({ state: 'running' });
    const keyed = await leaveAtOnce(fleet, input);
    const unkeyed = await leaveAtOnce(fleet, { agent_name: 'slow', delete_after: true });
    expect([keyed, unkeyed]).toMatchObject([first.answer, first.answer]);
    expect(git(fleet, 'rev-parse', 'main')).toBe(before);
    process.kill(first.check, 'SIGKILL');
    const ended = await ask('land_agent', input);
    expect(ended).toMatchObject({ land_id: first.answer['land_id'], state: 'landed', before });
    expect(git(fleet, 'rev-parse', 'main')).toBe(ended['after']);
    expect(await agentsOf(ask)).toEqual([]);
    expect(await ask('land_agent', input)).toEqual(ended);
    const other = await failure(ask('land_agent', { ...input, strategy: 'squash' }));
    expect([other.code, other.details['field']]).toEqual(['CONFLICT', 'idempotency_key']);
  });

  it('gives the agent what it must fix, without anybody who asks [OP-land_agent-follow-up]', async ({
    fleet,
    ask,
  }) => {
    await slowAgent(fleet, ask, { name: 'wrong', check: 'exec sleep 1972' });
    const input = { agent_name: 'wrong', assign_to_agent: true, idempotency_key: 'two' };
    const { answer, check } = await leaveWhileChecking(fleet, input, 'sleep 1972');
    expect(answer).toMatchObject({ state: 'running' });
    process.kill(check, 'SIGKILL');
    const tasks = await until(
      () => history(ask, 'wrong'),
      ({ length }) => length > 1,
    );
    expect(tasks[0]?.['message']).toContain('the check tests failed');
    const { details, message } = await failure(ask('land_agent', input));
    expect(details).toMatchObject({ reason: 'checks_failed', task_id: tasks[0]?.['id'] });
    expect(message).toContain('It is the next task of the agent.');
    expect(await history(ask, 'wrong')).toHaveLength(2);
    await ask('delete_agent', { agent_name: 'wrong', discard_work: true });
  });

  it('is followed up by fleet serve when its process died [OP-land_agent-follow-up]', async ({
    fleet,
    ask,
  }) => {
    const { workspace_id } = await idleAgent(ask, 'left', { project: 'Setup', task: 'true' });
    using store = openStore(fleet.home);
    const landings = new LandingStore(store);
    landings.insert({
      ...newLanding({
        land_id: 'left',
        workspace_id,
        agent_name: 'left',
        project: 'Setup',
        options: { strategy: 'merge', uncommitted: 'refuse', skip_checks: false },
        by: 'user:test',
        created_at: new Date().toISOString(),
        lender: join(fleet.repository, '.git'),
        process: null,
        follow_up: { assign_to_agent: false, delete_after: true, by: actorOf(HUMAN), source: 'human' },
      }),
      state: 'landed',
      follower: { pid: 1, started: 'before', boot: 'another' },
    });
    await keepOnce(fleet.opened);
    expect(await agentsOf(ask)).toEqual([]);
    expect(landings.find('left')).toMatchObject({ follow_up: null, follower: null });
    expect(landings.toFollow()).toEqual([]);
  });
});

/** An agent whose check takes long only on the merged tree. Returns where the base is. */
async function slowAgent(
  fleet: LocalFleet,
  ask: Ask,
  { name, check }: { name: string; check: string },
): Promise<string> {
  userCommits(fleet, 'test.sh', `test ! -e ${name}.txt -o ! -e ${name}-base.txt || { ${check}; }`);
  await idleAgent(ask, name, { project: 'Setup', task: commit(`${name}.txt`) });
  await until(
    () => agentOf(ask, name),
    ({ checks }) => checks?.state === 'passing',
  );
  userCommits(fleet, `${name}-base.txt`, 'moves the base');
  return git(fleet, 'rev-parse', 'main');
}

/** Asks to land, and leaves when the checks have come to a command. */
async function leaveWhileChecking(fleet: LocalFleet, input: Answer, command: string) {
  const leaving = new AbortController();
  const asked = land(fleet, input, leaving.signal);
  const [check = 0] = await until(
    async () => processesOf(command),
    ({ length }) => length > 0,
  );
  leaving.abort();
  return { answer: await asked, check };
}

function leaveAtOnce(fleet: LocalFleet, input: Answer): Promise<Answer> {
  return land(fleet, input, AbortSignal.abort());
}

async function land({ fleet }: LocalFleet, input: Answer, signal: AbortSignal): Promise<Answer> {
  return { ...(await invoke(landAgent, input, { fleet, caller: HUMAN, signal })) };
}

function processesOf(command: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => commandOf(pid) === `${command} `);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function git({ repository }: LocalFleet, ...args: string[]): string {
  const user = ['-c', 'user.name=T', '-c', 'user.email=t@localhost'];
  return execFileSync('git', ['-C', repository, ...user, ...args], { encoding: 'utf8' }).trim();
}

/** The user commits a file in the project's repository. */
function userCommits(fleet: LocalFleet, file: string, text: string): void {
  writeFileSync(join(fleet.repository, file), `${text}\n`);
  git(fleet, 'add', '.');
  git(fleet, 'commit', '--quiet', '-m', file);
}
