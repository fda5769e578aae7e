import { describe, expect, it } from 'vitest';
import { fixedFleet, TESTER } from '../../../test/support/fleets/fixed-fleet.ts';
import type { Deleted, DeleteOptions } from '../../backends/backend.ts';
import type { Phase } from '../../domain/state.ts';

const BY = { principal: 'user:tester', door: 'cli' };

describe('delete_agent', () => {
  it.each<[Deleted, string, string | null]>([
    [{ kept: [], notes: [], gone: true }, "Agent 'sony' deleted successfully", null],
    [
      { kept: ['one'], notes: [], gone: true },
      "Agent 'sony' deleted successfully; its work is kept on the branch one",
      'one',
    ],
    [
      { kept: ['one', 'two'], notes: ['a note', 'another'], gone: false },
      "Agent 'sony' is still being deleted; its work is kept on the branches one, two; a note; another",
      'one',
    ],
  ])('says where the work is kept: %o', async (deleted, message, kept) => {
    const asked: DeleteOptions[] = [];
    const { fleet, backend } = fixedFleet({
      delete: async (_, options) => {
        asked.push(options);
        return deleted;
      },
    });
    const { workspace_id } = backend.addAgent('sony');
    const { signal } = new AbortController();
    const progress = (): void => {};
    expect(
      await fleet.deleteAgent(
        { agent_name: 'Sony', discard_work: true },
        { caller: TESTER, signal, progress },
      ),
    ).toEqual({ agent_name: 'sony', workspace_id, message, kept });
    expect(asked).toEqual([{ discard_work: true, by: BY, signal, progress }]);
  });
});

describe('restart_agent and stop_agent', () => {
  it('say what was begun, with the status after it', async () => {
    const { fleet, backend } = fixedFleet();
    const { workspace_id } = backend.addAgent('sony');
    expect(await fleet.restartAgent('SONY', TESTER)).toEqual({
      agent_name: 'sony',
      workspace_id,
      status: 'pending',
      message: "Agent 'sony' restart initiated",
    });
  });

  it.each<[Phase, string]>([
    ['stopped', "Agent 'sony' is stopped"],
    ['canceled', "Agent 'sony' is canceled"],
    ['stopping', "Agent 'sony' is stopping"],
    ['canceling', "Agent 'sony' is stopping"],
  ])('stop_agent says how far it got: %s', async (phase, message) => {
    const { fleet, backend } = fixedFleet({
      stop: async (agent, by) => {
        expect(by).toEqual(BY);
        return { ...agent, state: { ...agent.state, phase } };
      },
    });
    backend.addAgent('sony');
    expect(await fleet.stopAgent('sony', TESTER)).toMatchObject({ status: phase, message });
  });
});
