import { expect, it } from 'vitest';
import { askAll } from '../support/coder/ask-all.ts';
import { shapeProblems } from '../support/coder/same-shape.ts';
import { coderFleet } from '../support/fleets/coder-fleet.ts';
import { realCoder } from './real-fleet.ts';

it('the stand-in answers as the real server does, request by request', async () => {
  await using fleet = await coderFleet();
  Object.assign(fleet.standIn.manners, { runners: false, build_ms: 500 });
  const [ours, real] = [await askAll(fleet.standIn), await askAll(realCoder())];
  expect(ours.map(({ name }) => name)).toEqual(real.map(({ name }) => name));
  for (const [index, exchange] of ours.entries()) {
    const answer = real[index];
    const { name, status, type, body } = exchange;
    expect([name, status, type]).toEqual([name, answer?.status, answer?.type]);
    expect([name, ...shapeProblems(body, answer?.body)]).toEqual([name]);
  }
});
