import { describe, expect, it } from 'vitest';
import { ancestorsOf, isTeam, membersOf } from './team.ts';

const AGENTS = [
  { name: 'lead', created_by: 'user:tester' },
  { name: 'worker', created_by: 'agent:Lead' },
  { name: 'helper', created_by: 'agent:WORKER' },
  { name: 'other', created_by: 'user:agent:lead' },
];

describe('a team', () => {
  it('has the agents that its manager created, and those that they created', () => {
    expect(membersOf(AGENTS, 'LEAD').map(({ name }) => name)).toEqual(['worker', 'helper']);
    expect(membersOf(AGENTS, 'worker').map(({ name }) => name)).toEqual(['helper']);
    expect(membersOf(AGENTS, 'helper')).toEqual([]);
  });

  it('ends where a person created the agent, or nobody knows', () => {
    expect(ancestorsOf(AGENTS, 'Helper')).toEqual(['WORKER', 'Lead']);
    expect(ancestorsOf(AGENTS, 'lead')).toEqual([]);
    expect(ancestorsOf(AGENTS, 'nobody')).toEqual([]);
    expect(ancestorsOf([{ name: 'orphan', created_by: 'agent:gone' }], 'orphan')).toEqual(['gone']);
  });

  it('ends where agents created each other, which names that are used again can make seem so', () => {
    const circle = [
      { name: 'a', created_by: 'agent:b' },
      { name: 'b', created_by: 'agent:a' },
    ];
    expect(ancestorsOf(circle, 'a')).toEqual(['b', 'a']);
  });
});

it('a team in a variable is checked', () => {
  const team = { of: 'lead', agents: 3, depth: 1 };
  expect(isTeam(team)).toBe(true);
  const { of: _o, ...nameless } = team;
  const { agents: _a, ...endless } = team;
  const { depth: _d, ...flat } = team;
  for (const value of [
    null,
    'text',
    nameless,
    endless,
    flat,
    { ...team, of: 1 },
    { ...team, agents: '3' },
    { ...team, depth: '1' },
  ])
    expect(isTeam(value)).toBe(false);
});
