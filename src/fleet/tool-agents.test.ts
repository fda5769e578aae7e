import { expect, it } from 'vitest';
import { TESTER } from '../../test/support/fleets/fixed-fleet.ts';
import type { ToolAgentView } from '../domain/tool-agent-view.ts';
import { ToolAgents } from './tool-agents.ts';

it('there are no tool agents until somebody provides them', async () => {
  const agents = new ToolAgents();
  expect(await agents.list(TESTER)).toEqual([]);
  const files = { name: 'files' } as ToolAgentView;
  agents.provide(async (caller) => (caller === TESTER ? [files] : []));
  expect(await agents.list(TESTER)).toEqual([files]);
});
