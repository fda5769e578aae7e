import { describe, expect, it } from 'vitest';
import type { KeptAgent } from '../../domain/kept-agent.ts';
import { chooseKept } from './kept-choice.ts';

const kept = (agent_name: string, workspace_id: string): KeptAgent => ({
  agent_name,
  workspace_id,
  project: 'Setup',
  deleted_at: '2026-01-02T03:04:05.000Z',
  branch: `fleet-kept/${agent_name}/${workspace_id}`,
  bytes: 1,
});
const [sony, papi, second] = [kept('sony', '1'), kept('papi', '2'), kept('Papi', '3')];
const all = [sony, papi, second];

describe('a deleted agent', () => {
  it('is chosen by its name whatever the case, its id or its branch', () => {
    expect(chooseKept(all, 'SONY')).toBe(sony);
    expect(chooseKept(all, '2')).toBe(papi);
    expect(chooseKept(all, 'fleet-kept/Papi/3')).toBe(second);
  });

  it('must be chosen by its id when others had the same name', () => {
    expect(() => chooseKept(all, 'papi')).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: expect.stringContaining('2, 3'),
        details: { field: 'name', workspace_ids: ['2', '3'] },
      }),
    );
  });

  it('that nobody knows is NOT_FOUND', () => {
    expect(() => chooseKept(all, 'nokia')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  });
});
