import { describe, expect, it } from 'vitest';
import { chooseKept } from './kept-choice.ts';
import type { KeptInProject } from './kept-repositories.ts';

const kept = (agent_name: string, id: string, part = ''): KeptInProject => ({
  branch: `fleet-kept/${agent_name}/${id}${part === '' ? '' : `-${part}`}`,
  agent_name,
  workspace_id: id,
  part,
  repository: '/repository',
  commit: id,
  subject: 'work',
  kept_at: '2026-01-01T00:00:00.000Z',
  projects: ['Setup'],
});

const all = [kept('sony', '1'), kept('papi', '2'), kept('Papi', '3')];

describe('what is kept', () => {
  it('is found by the name of its agent, in any spelling, and by its branch', () => {
    expect(chooseKept(all, 'SONY')).toEqual([all[0]]);
    expect(chooseKept(all, 'fleet-kept/papi/2')).toEqual([all[1]]);
  });

  it('is all that there is of an agent, the main branch first, or the one branch that was named', () => {
    const [stash, main, index] = [
      kept('nokia', '4', 'stash'),
      kept('nokia', '4'),
      kept('nokia', '4', 'index'),
    ];
    const more = [...all, stash, main, index];
    expect(chooseKept(more, 'nokia')).toEqual([main, index, stash]);
    expect(chooseKept(more, 'fleet-kept/nokia/4-index')).toEqual([index]);
    expect(chooseKept(more, 'fleet-kept/nokia/4')).toEqual([main]);
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
