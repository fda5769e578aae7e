import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { containmentLevel } from '../../src/platform/processes/containment.ts';
import { FLEET, runFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentOf, idleAgent } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { SCRIPT, typeAtTerminal as type, words } from '../support/type-at-terminal.ts';

const IN_NAMESPACE = containmentLevel().level === 'namespace';
let workspace: string;

const it = fleetTest(() =>
  localFleet((config) => {
    config.roles['open'] = { agent: 'command', command: ['sh', '-s'], contained: false };
  }),
);
it.beforeAll(async ({ fleet, ask }) => {
  const { workspace_id } = await idleAgent(ask, 'sony', { role: 'shell', task: 'echo text > file' });
  workspace = join(fleet.home, 'agents', workspace_id, 'work');
  await ask('stop_agent', { agent_name: 'sony' });
});

const shell = (fleet: LocalFleet, ...command: string[]) =>
  runFleet(['shell', 'sony', '--', ...command], { env: fleet.env });

describe('fleet path', () => {
  it('prints where an agent works, and warns of running programs there [CLI-path]', async ({ fleet }) => {
    const { code, stdout, stderr } = await runFleet(['path', 'SONY'], { env: fleet.env });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${workspace}\n` });
    expect(stderr).toContain('fleet shell sony');
    expect(await runFleet(['path', 'nobody'], { env: fleet.env })).toMatchObject({ code: 3 });
  });
});

describe('fleet shell', () => {
  it('runs a command in the workspace, with the environment of the agent, and exits as it does [CLI-shell]', async ({
    fleet,
    ask,
  }) => {
    expect(
      await shell(fleet, 'sh', '-c', 'pwd; cat file; echo $FLEET_AGENT "$@"; exit 7', 'sh', "it's", 'a  b'),
    ).toMatchObject({
      code: 7,
      stdout: `${workspace}\ntext\nsony it's a  b\n`,
    });
    expect((await agentOf(ask, 'sony')).status).toBe('stopped');
  });

  it.skipIf(!IN_NAMESPACE)(
    'runs it in the sandbox, where a planted program reaches nothing',
    async ({ fleet }) => {
      const mark = join(fleet.home, 'mark');
      const config = join(workspace, '.git', 'config');
      const before = readFileSync(config, 'utf8');
      writeFileSync(config, `${before}[core]\n\tfsmonitor = "touch '${mark}'; touch ran; false"\n`);
      expect(await shell(fleet, 'git', 'status', '--short')).toMatchObject({ code: 0 });
      expect(existsSync(join(workspace, 'ran'))).toBe(true);
      expect(existsSync(mark)).toBe(false);
      writeFileSync(config, before);
      rmSync(join(workspace, 'ran'));
    },
  );

  it('says when there is no sandbox', async ({ fleet, ask }) => {
    await idleAgent(ask, 'wide', { role: 'open', task: 'true' });
    const { code, stdout, stderr } = await runFleet(['shell', 'wide', '--', 'echo', 'here'], {
      env: fleet.env,
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'here\n' });
    expect(stderr).toContain('not in a sandbox');
  });

  describe.skipIf(SCRIPT === undefined || !IN_NAMESPACE)('at a terminal', () => {
    it('is a shell with a terminal of its own, jobs and Ctrl-C', async ({ fleet }) => {
      const typed = [
        ['tty; ls /dev/pts', /\/dev\/pts\/0\s+0\s+ptmx/],
        ['sleep 1000 & jobs', /Running/],
        [`kill %1; sh -c "echo sle''eping; exec sleep 1000"`, /sleeping/],
        ['\u0003', /\^C/],
        ["echo 'aw''ake'; exit 5", /awake/],
      ] as const;
      const { code, said } = await type(
        fleet,
        `exec ${words([process.execPath, FLEET, 'shell', 'sony'])}`,
        typed,
      );
      expect(code, said).toBe(5);
    });

    it('a program without a terminal cannot reach that of its caller', async ({ fleet }) => {
      const looks = words([
        process.execPath,
        FLEET,
        'shell',
        'sony',
        '--',
        'sh',
        '-c',
        'true < /dev/tty || echo no terminal',
      ]);
      const { said } = await type(fleet, `${looks} < /dev/null; echo done`, [['', /done/]]);
      expect(said).toContain('no terminal');
    });
  });
});
