import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codingAgent } from '../../src/agents/catalogue.ts';
import { ContainedFleet, LEVELS, why } from '../contained/level.ts';
import { without } from './agents-cache.ts';
import { lendAgent } from './lend-agent.ts';

const { missing, why: whyMissing } = without('claude');

describe.each(LEVELS.filter(({ uid }) => uid === undefined))('the real claude $name', (level) => {
  let fleet: ContainedFleet;
  beforeAll(() => {
    fleet = new ContainedFleet(level);
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  it.skipIf(missing || level.skip !== undefined)(
    `runs from the home of a fleet, the adapter and the program that it brings${whyMissing}${why(level)}`,
    () => {
      const { command, version } = lendAgent('claude', fleet.home);
      const words = command.map((word) => `'${word}'`).join(' ');
      fleet.create('looker', 'shell', `${words} --version\n${words} --cli --version`);
      expect(version).toBe(codingAgent('claude')?.version);
      expect(fleet.lines('looker')).toEqual([version, expect.stringMatching(/^[\d.]+ \(Claude Code\)$/)]);
    },
  );
});
