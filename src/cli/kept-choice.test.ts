import { describe, expect, it } from 'vitest';
import { chooseKept } from './kept-choice.ts';
import type { KeptInProject } from './kept-repositories.ts';

const kept = (agent_name: string, id: string): KeptInProject => ({
  branch: `fleet-kept/${agent_name}/${id}`,
  agent_name,
  repository: '/repository',
  commit: id,
  subject: 'work',
  kept_at: '2026-01-01T00:00:00.000Z',
  projects: ['Setup'],
});

const all = [kept('sony', '1'), kept('papi', '2'), kept('Papi', '3')];

describe('what is kept', () => {
  it('is found by the name of its agent, in any spelling, and by its branch', () => {
    expect(chooseKept(all, 'SONY').commit).toBe('1');
    expect(chooseKept(all, 'fleet-kept/papi/2').commit).toBe('2');
  });

  it('of several agents with one name must be chosen by its branch', () => {
    expect(() => chooseKept(all, 'papi')).toThrow('fleet-kept/papi/2, fleet-kept/Papi/3');
    expect(() => chooseKept(all, 'papi')).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  it('of nobody is NOT_FOUND with what there is', () => {
    expect(() => chooseKept(all, 'fleet-kept/papi/3')).toThrow(
      expect.objectContaining({
        code: 'NOT_FOUND',
        message: expect.stringContaining('"fleet-kept/papi/3"'),
        details: { field: 'name', branches: all.map(({ branch }) => branch) },
      }),
    );
  });
});
