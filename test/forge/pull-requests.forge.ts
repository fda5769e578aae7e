import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentView } from '../../src/domain/agent.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  failure,
  idleAgent,
  until,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { git } from '../seeds/on-this-machine.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { builtGitea } from './forge-cache.ts';
import { forgeFleet } from './forge-fleet.ts';
import { startGitea, type Gitea } from './gitea.ts';

const missing = builtGitea() === undefined;
const why = missing ? ' (skipped: Gitea could not be built here)' : '';

describe.skipIf(missing)(`a pull request on a real forge${why}`, () => {
  const opened = new AsyncDisposableStack();
  let gitea: Gitea;
  let fleet: LocalFleet;
  let ask: Ask;
  let repository: string;

  beforeAll(async () => {
    gitea = opened.use(await startGitea());
    fleet = opened.use(await forgeFleet(gitea));
    ask = askAs(fleet.fleet);
    repository = `/repos/${gitea.user}/setup`;
  });
  afterAll(() => opened.disposeAsync());

  it('that its agent opened is found from its branch, and followed from check to check until it is merged', async () => {
    await idleAgent(ask, 'sony', { role: 'opener', task: 'A change' });
    const { git: facts, pull_request } = await when('sony', (agent) => agent.pull_request !== null);
    expect(pull_request).toEqual({
      url: `${gitea.url}/${gitea.user}/setup/pulls/1`,
      status: 'open',
      check_status: 'none',
      error: null,
    });
    expect(facts?.remote).toBe(`${gitea.url}/${gitea.user}/setup`);
    for (const [state, check_status] of [
      ['pending', 'pending'],
      ['failure', 'failing'],
      ['success', 'passing'],
    ] as const) {
      await check(1, state);
      await when('sony', (agent) => agent.pull_request?.check_status === check_status);
    }
    expect((await agentsOf(ask, { pull_request_filter: 'open' })).map(({ name }) => name)).toEqual(['sony']);
    await merge(1);
    const merged = await when('sony', (agent) => agent.pull_request?.status === 'merged');
    expect(merged.pull_request?.check_status).toBe('passing');
    expect(merged.fleet_metadata).toMatchObject({
      fleet_mcp_pull_request_url: pull_request?.url,
      fleet_mcp_pull_request_status: 'merged',
      fleet_mcp_pull_request_check_status: 'passing',
    });
    expect((await agentsOf(ask, { pull_request_filter: 1 })).map(({ name }) => name)).toEqual(['sony']);
  });

  it('is a draft, and then closed', async () => {
    await idleAgent(ask, 'drafter', { role: 'opener', task: 'WIP: not yet' });
    const { pull_request } = await when('drafter', (agent) => agent.pull_request?.status === 'draft');
    const number = Number(pull_request?.url.split('/').at(-1));
    await gitea.call('PATCH', `${repository}/pulls/${number}`, { state: 'closed' });
    await when('drafter', (agent) => agent.pull_request?.status === 'closed');
  });

  it('has failing checks when one of two fails, and a warning is not a failure', async () => {
    await idleAgent(ask, 'checked', { role: 'opener', task: 'Checked twice' });
    const { pull_request } = await when('checked', (agent) => agent.pull_request !== null);
    const number = Number(pull_request?.url.split('/').at(-1));
    await check(number, 'success', 'lint');
    await check(number, 'error', 'tests');
    await when('checked', (agent) => agent.pull_request?.check_status === 'failing');
    await check(number, 'warning', 'tests');
    await when('checked', (agent) => agent.pull_request?.check_status === 'passing');
  });

  it('is what the next agent goes on from', async () => {
    const { pull_request } = await agentOf(ask, 'checked');
    await idleAgent(ask, 'reviewer', { role: 'shell', task: 'true', pull_request_url: pull_request?.url });
    const tip = (name: string): string => git(fleet.repository, 'rev-parse', `fleet/${name}`);
    expect(tip('reviewer')).toBe(tip('checked'));
    expect(tip('reviewer')).not.toBe(git(fleet.repository, 'rev-parse', 'main'));
  });

  it('that is gone, and one that a wrong token asks for, say so', async () => {
    const url = `${gitea.url}/${gitea.user}/setup/pulls/999`;
    const refused = await failure(
      ask('create_agent', { project: 'Setup', task: 'x', pull_request_url: url }),
    );
    expect(refused).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'pull_request_url' } });
    await idleAgent(ask, 'lost', { base: 'main', pull_request_url: url });
    expect((await agentOf(ask, 'lost')).pull_request?.error).toContain('404');
    fleet.configure((config) => {
      config['forges'] = { local: { type: 'gitea', url: gitea.url } };
    });
    const anonymous = await when(
      'lost',
      ({ pull_request }) => pull_request?.error?.includes('none is configured') === true,
    );
    expect(anonymous.pull_request).toMatchObject({ status: null, check_status: null });
    fleet.configure((config) => {
      config['forges'] = { local: { type: 'gitea', url: gitea.url, token_env: 'WRONG_FORGE_TOKEN' } };
    });
    const env = { ...fleet.env, WRONG_FORGE_TOKEN: 'f'.repeat(40) };
    const { stdout } = await until(
      () => runFleet(['show', 'lost'], { env }),
      (shown) => !shown.stdout.includes('none is configured'),
    );
    expect(stdout).toContain('(401)');
    expect(stdout).not.toContain(gitea.token);
  });

  const when = (name: string, holds: (agent: AgentView) => boolean): Promise<AgentView> =>
    until(() => agentOf(ask, name), holds);

  async function check(number: number, state: string, context = 'tests'): Promise<void> {
    const { head } = (await gitea.call('GET', `${repository}/pulls/${number}`)) as { head: { sha: string } };
    await gitea.call('POST', `${repository}/statuses/${head.sha}`, { state, context });
  }

  /** Gitea needs a moment to find out that it can be merged. */
  async function merge(number: number): Promise<void> {
    await until(
      () => gitea.call('GET', `${repository}/pulls/${number}`),
      ({ mergeable }) => mergeable === true,
    );
    await gitea.call('POST', `${repository}/pulls/${number}/merge`, { Do: 'merge' });
  }
});
