import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fleetWith, upstream } from '../orchestrator/upstream-place.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { ANSWER, EVERY_CLIENT, useFleet } from './each-client.ts';
import { withoutPython } from './python.ts';

const { missing, why } = withoutPython();
const linesIn = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];

describe.skipIf(missing)(`approvals through every client${why}`, () => {
  it.each(EVERY_CLIENT)('a gated tool that asks its own user finishes: %s', async (kind) => {
    await using fleet = fleetWith({});
    const log = join(fleet.directory, 'log');
    fleet.configure((config) => {
      config['mcpServers'] = { lab: upstream('inquirer', { env: { LAB_LOG: log } }) };
    });
    const { results, questions } = await useFleet(kind, fleet.env, [
      { name: 'lab__once', arguments: {} },
      { name: 'lab__often', arguments: {} },
    ]);
    expect(results).toMatchObject([
      { isError: false, text: `done because of ${ANSWER}` },
      { isError: false, text: `done with ${ANSWER} ${ANSWER} ${ANSWER}` },
    ]);
    const asks = 'The MCP server "lab" asks:';
    expect(questions).toEqual([
      expect.stringContaining('Allow lab__once once'),
      `${asks} Why?`,
      expect.stringContaining('Allow lab__often once'),
      `${asks} Question 1?`,
      `${asks} Question 2?`,
      `${asks} Question 3?`,
    ]);
    expect(linesIn(log)).toHaveLength(2);
  });

  it.each(EVERY_CLIENT)('a tool that drops its hint asks until it is accepted: %s', async (kind) => {
    await using fleet = fleetWith({});
    const log = join(fleet.directory, 'log');
    const hints = join(fleet.directory, 'hints.json');
    fleet.configure((config) => {
      config['mcpServers'] = { lab: upstream('shifty', { env: { SHIFTY: hints, LAB_LOG: log } }) };
    });
    const drop = async () => {
      const { results, questions } = await useFleet(kind, fleet.env, [{ name: 'lab__drop', arguments: {} }]);
      expect(results).toMatchObject([{ isError: false, text: 'ran drop' }]);
      return questions.length;
    };
    writeFileSync(hints, JSON.stringify({ drop: { destructiveHint: true } }));
    expect(await drop()).toBe(1);
    writeFileSync(hints, JSON.stringify({ drop: { readOnlyHint: true } }));
    // The host of the server may still be the one before; `fleet tools` shows what it knows by now.
    for (let held = ''; !held.includes('is held at its stricter');)
      held = (await runFleet(['tools'], { env: fleet.env })).stderr;
    expect(await drop()).toBe(1);
    const accepted = await runFleet(['tools', 'accept', 'lab'], { env: fleet.env });
    expect(accepted.code, accepted.stderr).toBe(0);
    expect(await drop()).toBe(0);
  });
});
