import { expect, it } from 'vitest';
import { TOKEN_SCOPES } from '../../src/backends/coder/check-server.ts';
import { coderFleet } from '../support/coder-fleet.ts';
import { askAs, history, idleAgent, logOf } from '../support/fleet-under-test.ts';
import { runFleet } from '../support/fleet-process.ts';

interface Setup {
  readonly ok: boolean;
  readonly pushed: { readonly template: string; readonly outcome: string } | null;
  readonly checks: readonly { readonly name: string; readonly state: string; readonly message: string }[];
}

it('checks the server and the token, pushes each of our templates, and its agents run the task by sh -s [CLI-coder-setup]', async () => {
  await using fleet = await coderFleet();
  const setup = async (...args: string[]): Promise<Setup & { code: number | null }> => {
    const { stdout, code } = await runFleet(['coder', 'setup', '--json', ...args], { env: fleet.env });
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
  const refused = await runFleet(['coder', 'setup', '--template', 'podman', '--yes', '--json'], {
    env: fleet.env,
  });
  expect(refused.code).toBe(2);

  const ask = askAs(fleet.fleet);
  await idleAgent(ask, 'scripted', { project: 'Fleet process', task: 'echo "$0 $-"; exit 0' });
  expect(await history(ask, 'scripted')).toMatchObject([{ state: 'complete' }]);
  expect((await logOf(ask, 'scripted')).map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/sh .*s/),
  );
});
