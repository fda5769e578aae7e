import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sentText, sessionPlace, type SessionPlace } from './session-place.ts';

let place: SessionPlace;
beforeAll(async () => {
  place = await sessionPlace((config) => {
    for (const project of Object.values(config.projects)) {
      project['default_role'] = 'shell';
      project['checks'] = { syntax: 'for file in *.sh; do sh -n "$file" || exit 1; done' };
    }
  });
});
afterAll(() => place[Symbol.asyncDispose]());

const commit = 'git add . && git -c user.name=A -c user.email=a@localhost commit -qm done';
const ISSUES = { noor: 'echo hello', kay: 'echo goodbye', lin: 'if then' };
const names = Object.keys(ISSUES);
const STEPS = [
  {
    tools: Object.entries(ISSUES).map(([name, line]) => ({
      tool: 'create_agent',
      input: { project: 'Setup', name, task: `echo "${line}" > ${name}.sh && ${commit}` },
    })),
  },
  { tool: 'wait_for_agents', input: { agent_names: names.join(','), timeout_seconds: 50 } },
  { tools: names.map((name) => ({ tool: 'show_agent_diff', input: { agent_name: name } })) },
  { tool: 'land_agents', input: { agent_names: names.join(',') } },
  { text: 'noor and kay are on main; the checks of lin fail.' },
];

describe('a session that gives issues to agents', () => {
  it('waits for them, reads what they changed, and lands what passes [SES-land]', async () => {
    const refused = await place.askJson(STEPS);
    expect(refused.calls.map(({ tool, failed }) => [tool, failed])).toEqual([
      ...names.map(() => ['create_agent', false]),
      ['wait_for_agents', false],
      ...names.map(() => ['show_agent_diff', false]),
      ['land_agents', true],
    ]);
    expect(onMain()).toEqual(['README.md']);

    const { calls, answer } = await place.askJson(STEPS.slice(3), '--yes', 'land_agents');
    expect(calls).toMatchObject([{ tool: 'land_agents', failed: false }]);
    expect(sentText(place.model.requests.at(-1))).toContain('checks_failed');
    expect(onMain()).toEqual(['README.md', 'kay.sh', 'noor.sh']);
    expect(answer).toContain('the checks of lin fail');
  });
});

function onMain(): readonly string[] {
  const args = ['-C', place.fleet.repository, 'ls-tree', '--name-only', 'main'];
  return execFileSync('git', args, { encoding: 'utf8' }).trim().split('\n');
}
