import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TOKEN_SCOPES } from '../../src/backends/coder/check-server.ts';
import { coderFleet } from '../support/fleets/coder-fleet.ts';
import { askAs, history, idleAgent, logOf } from '../support/fleets/fleet-under-test.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';

interface Setup {
  readonly ok: boolean;
  readonly pushed: { readonly template: string; readonly outcome: string } | null;
  readonly checks: readonly { readonly name: string; readonly state: string; readonly message: string }[];
}

/** A directory for the PATH with a program "coder" in it. */
function withCoder(directory: string): string {
  const bin = join(directory, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'coder'), '#!/bin/sh\n', { mode: 0o755 });
  return bin;
}

it('checks the server and the token, pushes each of our templates, and its agents run the task by sh -s [CLI-coder-setup]', async () => {
  await using fleet = await coderFleet();
  const env = { ...fleet.env, PATH: `${withCoder(fleet.directory)}:${process.env['PATH']}` };
  const setup = async (...args: string[]): Promise<Setup & { code: number | null }> => {
    const { stdout, code } = await runFleet(['coder', 'setup', '--json', ...args], { env });
    return { ...(JSON.parse(stdout) as Setup), code };
  };
  const looked = await setup();
  expect(looked).toMatchObject({ ok: true, pushed: null, code: 0 });
  expect(looked.checks).toContainEqual(expect.objectContaining({ name: 'coder server', state: 'ok' }));
  expect(looked.checks).toContainEqual(expect.objectContaining({ name: 'coder token', state: 'warn' }));

  fleet.standIn.scopes.splice(0, 1, ...TOKEN_SCOPES.slice(1));
  const poor = await setup();
  expect(poor.code).toBe(1);
  expect(poor.checks).toContainEqual(
    expect.objectContaining({ state: 'fail', message: expect.stringContaining(TOKEN_SCOPES[0]) }),
  );
  fleet.standIn.scopes.unshift(TOKEN_SCOPES[0]);

  for (const kind of ['docker', 'kubernetes', 'process']) {
    const pushed = await setup('--template', kind, '--yes');
    expect(pushed).toMatchObject({ ok: true, pushed: { template: `fleet-${kind}`, outcome: 'made' } });
    expect(pushed.checks.map(({ name }) => name)).toContain(`coder project Fleet ${kind}`);
    expect((await setup('--template', kind, '--yes')).pushed?.outcome).toBe('same');
  }
  const refused = await runFleet(['coder', 'setup', '--template', 'podman', '--yes', '--json'], { env });
  expect(refused.code).toBe(2);

  const ask = askAs(fleet.fleet);
  await idleAgent(ask, 'scripted', { project: 'Fleet process', task: 'echo "$0 $-"; exit 0' });
  expect(await history(ask, 'scripted')).toMatchObject([{ state: 'complete' }]);
  expect((await logOf(ask, 'scripted')).map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/sh .*s/),
  );
});

it('refuses to push the process template while its workspaces could not start "coder agent", and says why', async () => {
  await using fleet = await coderFleet();
  const { templates, requests } = fleet.standIn;
  const empty = join(fleet.directory, 'empty');
  mkdirSync(empty);
  const setup = (...args: string[]) =>
    runFleet(['coder', 'setup', '--template', 'process', '--yes', ...args], {
      env: { ...fleet.env, PATH: empty },
    });
  const missing = await setup();
  expect(missing.code).toBe(7);
  expect(missing.stderr).toContain('The program "coder" is not on the PATH');
  expect(missing.stderr).toContain('--variable coder_bin=');
  expect(JSON.parse((await setup('--json')).stdout)).toMatchObject({
    error: { code: 'SERVICE_UNAVAILABLE', details: { reason: 'coder_not_installed' } },
  });
  expect(requests).not.toContain('POST /api/v2/files');

  const bin = join(fleet.directory, 'bin');
  const named = ['--variable', `coder_bin=${join(bin, 'coder')}`];
  const absent = await setup(...named);
  expect(absent.code).toBe(7);
  expect(absent.stderr).toContain('Coder cannot import the template "fleet-process"');
  expect(absent.stderr).toContain(`coder_bin is "${join(bin, 'coder')}", which is not the path of`);
  expect(templates.map(({ name }) => name)).not.toContain('fleet-process');

  withCoder(fleet.directory);
  expect((await setup(...named)).stdout).toContain('fleet-process: made');
  const other = ['--variable', `coder_bin=${join(fleet.directory, 'later')}`];
  expect((await setup(...other)).code).toBe(7);
  writeFileSync(join(fleet.directory, 'later'), '');
  expect((await setup(...other)).stdout).toContain('fleet-process: updated');
  expect((await setup(...other)).stdout).toContain('fleet-process: same');
});
