import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN_ROLES } from '../../src/config/built-in-roles.ts';
import { acpFleet, steps } from '../acp/acp-fleet.ts';
import { agentOf, askAs, idleAgent, until, type Ask } from '../support/fleet-under-test.ts';
import { goTask, WITHOUT_GO_TASK } from '../support/go-task.ts';
import type { LocalFleet } from '../support/local-fleet.ts';

const bin = goTask();
const NAMES = BUILT_IN_ROLES.map(({ name }) => name);
const TASKFILE = `version: '3'\ntasks:\n  planted: {meta: {include_in_list: true}, cmd: touch ran && echo ran}\n`;
const PLANT = steps({ write: 'Taskfile.yml', content: TASKFILE, free: true });

describe.skipIf(bin === undefined)(`a Taskfile that an agent wrote${WITHOUT_GO_TASK}`, () => {
  let fleet: LocalFleet;
  let ask: Ask;

  beforeAll(() => {
    fleet = acpFleet({
      ...Object.fromEntries(NAMES.map((name) => [name, {}])),
      trusted: { trust_repository: true },
    });
    fleet.configure(({ roles }) => {
      for (const role of Object.values(roles))
        role['env'] = { ...(role['env'] as object), PATH: `${bin}:${process.env['PATH']}` };
    });
    ask = askAs(fleet.fleet);
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  it.each(NAMES)(
    'runs nothing for the role %s, which may write and asks before it runs a command',
    async (role) => {
      const { error, ran } = await planted(role);
      expect(error).toMatch(/^not run: .*trust_repository/);
      expect(ran).toBe(false);
    },
  );

  it('runs for a role that trusts its repository', async () => {
    expect(await planted('trusted')).toEqual({ error: null, ran: true });
  });

  async function planted(role: string): Promise<{ error: string | null; ran: boolean }> {
    const { workspace_id } = await idleAgent(ask, role, { role, task: PLANT });
    const { metadata } = await until(
      () => agentOf(ask, role),
      (agent) => agent.metadata_collected_at !== null && agent.metadata['planted'] !== undefined,
    );
    return {
      error: metadata['planted']?.error ?? null,
      ran: existsSync(join(fleet.home, 'worktrees', workspace_id, 'ran')),
    };
  }
});
