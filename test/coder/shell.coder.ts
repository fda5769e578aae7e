import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLEET, runFleet } from '../support/fleets/fleet-process.ts';
import { askAs, idleAgent } from '../support/fleets/fleet-under-test.ts';
import { SCRIPT, typeAtTerminal, words } from '../support/type-at-terminal.ts';
import { realFleet, type RealFleet } from './real-fleet.ts';

describe('fleet shell of an agent on a real Coder server', () => {
  let fleet: RealFleet;
  beforeAll(async () => {
    fleet = await realFleet();
    await idleAgent(askAs(fleet.fleet), 'shelly', { role: 'coder', task: 'echo text > file' });
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  it('runs a command in the workspace through its terminal, and exits as it does [CLI-shell-coder]', async () => {
    const command = ['sh', '-c', 'cat file; echo "$@"; exit 7', 'sh', "it's", 'a  b'];
    expect(await runFleet(['shell', 'shelly', '--', ...command], { env: fleet.env })).toMatchObject({
      code: 7,
      stdout: "text\nit's a  b\n",
    });
    const many = ['sh', '-c', 'head -c 300000 /dev/zero | tr "\\0" x'];
    const large = await runFleet(['shell', 'shelly', '--', ...many], { env: fleet.env });
    expect({ code: large.code, length: large.stdout.length }).toEqual({ code: 0, length: 300_000 });
  });

  it.skipIf(SCRIPT === undefined)('is a shell with a terminal, jobs and Ctrl-C', async () => {
    const { code, said } = await typeAtTerminal(
      fleet,
      `exec ${words([process.execPath, FLEET, 'shell', 'shelly'])}`,
      [
        ['tty; ls', /\/dev\/pts\/\d+\s+file/],
        ['stty size', /\d+ \d+/],
        [`sh -c "echo sle''eping; exec sleep 1000"`, /sleeping/],
        ['\u0003', /\^C/],
        ["echo 'aw''ake'; exit 5", /awake/],
      ],
    );
    expect(code, said).toBe(5);
  });
});
