import { describe, expect, it } from 'vitest';
import { ranked, type Contender } from './ranking.ts';

const contender = (agent_name: string, more: Partial<Contender> = {}): Contender => ({
  agent_name,
  checks: null,
  files: 1,
  insertions: 10,
  deletions: 0,
  took_ms: 1000,
  cost: null,
  ...more,
});
const order = (...all: Contender[]): string[] => ranked(all).map(({ agent_name }) => agent_name);

describe('a ranking', () => {
  it('is by checks before anything else', () => {
    expect(
      order(
        contender('failing', { checks: 'failing', insertions: 1 }),
        contender('unknown'),
        contender('passing', { checks: 'passing', insertions: 100 }),
      ),
    ).toEqual(['passing', 'unknown', 'failing']);
  });

  it('then by the size of the change, time and cost', () => {
    expect(
      order(
        contender('dear', { cost: 2 }),
        contender('slow', { took_ms: 2000 }),
        contender('large', { deletions: 1 }),
        contender('best', { cost: 1 }),
      ),
    ).toEqual(['best', 'dear', 'slow', 'large']);
  });

  it('has agents that changed nothing last', () => {
    expect(
      order(contender('none', { files: 0, insertions: 0, checks: 'passing' }), contender('some')),
    ).toEqual(['some', 'none']);
  });
});
