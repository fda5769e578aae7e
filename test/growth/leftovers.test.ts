import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { askAs, idleAgent, waitIdle } from '../support/fleets/fleet-under-test.ts';
import { localFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';

it('what a runner that was killed while it read left behind is gone after the next look', async () => {
  await using fleet = localFleet();
  const ask = askAs(fleet.fleet);
  const { workspace_id } = await idleAgent(ask, 'sony');
  const left = join(fleet.home, 'agents', workspace_id, 'stage', 'reader', 'left');
  mkdirSync(left, { recursive: true });
  writeFileSync(join(left, 'index'), 'x');
  await ask('restart_agent', { agent_name: 'sony' });
  await waitIdle(ask, 'sony');
  await ask('start_agent_task', { agent_name: 'sony', task_description: script({ write: 'new.txt' }) });
  await waitIdle(ask, 'sony');
  expect(existsSync(left)).toBe(false);
});
