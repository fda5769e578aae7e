import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { coderFleet, type CoderFleet } from '../support/fleets/coder-fleet.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { askAs, idleAgent } from '../support/fleets/fleet-under-test.ts';

let fleet: CoderFleet;
beforeAll(async () => {
  fleet = await coderFleet();
  await idleAgent(askAs(fleet.fleet), 'shelly', { role: 'coder', task: 'echo text > file' });
});
afterAll(() => fleet[Symbol.asyncDispose]());

const shell = (...command: string[]) => runFleet(['shell', 'shelly', '--', ...command], { env: fleet.env });

describe('fleet shell of an agent on Coder', () => {
  it('runs a command in the workspace through its terminal, and exits as it does [CLI-shell-coder]', async () => {
    expect(await shell('sh', '-c', 'cat file; echo "$@"; exit 7', 'sh', "it's", 'a  b')).toMatchObject({
      code: 7,
      stdout: "text\nit's a  b\n",
    });
    const large = await shell('sh', '-c', 'head -c 300000 /dev/zero | tr "\\0" x');
    expect({ code: large.code, length: large.stdout.length }).toEqual({ code: 0, length: 300_000 });
  });

  it('says that the workspace is stopped, or that the terminal was closed', async () => {
    fleet.workspaceOf('shelly').disconnect();
    expect(await shell('true')).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('shelly') as string,
    });
    await askAs(fleet.fleet)('stop_agent', { agent_name: 'shelly' });
    const stopped = await shell('true');
    expect(stopped.code).toBe(2);
    expect(stopped.stderr).toContain('fleet restart');
  });
});
