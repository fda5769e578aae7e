import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN_ROLES } from '../../src/config/built-in-roles.ts';
import { acpFleet, steps } from '../acp/acp-fleet.ts';
import { agentOf, askAs, idleAgent, until, type Ask } from '../support/fleets/fleet-under-test.ts';
import { goTask, WITHOUT_GO_TASK } from '../support/installs/go-task.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';

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
      collecting: { metadata: true },
      none: { trust_repository: true, metadata: false },
    });
    fleet.configure(({ roles }) => {
      for (const role of Object.values(roles))
        role['env'] = { ...(role['env'] as object), PATH: `${bin}:${process.env['PATH']}` };
    });
    ask = askAs(fleet.fleet);
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  it.each(NAMES)(
    'runs nothing for the role %s, which may write and asks before it runs a command [MD-allowed]',
    async (role) => {
      const { error, ran } = await planted(role);
      expect(error).toMatch(/^not run: .*add metadata: true to the role/);
      expect(ran).toBe(false);
    },
  );

  it.each(['trusted', 'collecting'])('runs for the role %s, which allows it [MD-allowed]', async (role) => {
    expect(await planted(role)).toEqual({ error: null, ran: true });
  });

  it('runs nothing for a role that forbids it, whatever else it allows', async () => {
    expect(await planted('none')).toEqual({
      error: 'not run: the role none has metadata: false',
      ran: false,
    });
  });

  it('runs after a restart for a role that allows it since, and not when it no longer does', async () => {
    await planted('acp');
    for (const allowed of [true, false]) {
      fleet.configure(({ roles }) => {
        if (allowed) Object.assign(roles['acp'] ?? {}, { metadata: true });
        else delete roles['acp']?.['metadata'];
      });
      await ask('restart_agent', { agent_name: 'acp' });
      await until(
        () => agentOf(ask, 'acp'),
        ({ metadata }) => (metadata['planted']?.error === null) === allowed,
      );
    }
  });

  async function planted(role: string): Promise<{ error: string | null; ran: boolean }> {
    const { workspace_id } = await idleAgent(ask, role, { role, task: PLANT });
    const { metadata } = await until(
      () => agentOf(ask, role),
      (agent) => agent.metadata_collected_at !== null && agent.metadata['planted'] !== undefined,
    );
    return {
      error: metadata['planted']?.error ?? null,
      ran: existsSync(join(fleet.home, 'agents', workspace_id, 'work', 'ran')),
    };
  }
});
