import { existsSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnDaemon, stopOwnDaemon } from '../support/docker/docker-daemon.ts';
import { containerOf, docker, inContainer } from '../support/docker/docker.ts';
import { changedImage } from '../support/docker/workspace-image.ts';
import {
  agentOf,
  askAs,
  failure,
  history,
  idleAgent,
  signalFile,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { script } from '../support/script.ts';
import { dockerFleet, type DockerFleet } from './docker-fleet.ts';
import { dockerPlace } from './docker-place.ts';
import { pushVariant } from './push-templates.ts';

/** A status is true within a minute; the rest is for a slow machine. */
const LIMIT_MS = 90_000;
const SMALL_VOLUME = `
  driver = "local"
  driver_opts = {
    type   = "tmpfs"
    device = "tmpfs"
    o      = "size=48m,uid=1000,gid=1000"
  }
`;

describe('faults of containers', () => {
  let fleet: DockerFleet;
  const ask = (operation: string, input?: Answer) => askAs(fleet.fleet)(operation, input);
  const status = async (name: string) => (await agentOf(ask, name).catch(() => undefined))?.status;
  const give = async (agent_name: string, task_description: string, input: Answer = {}): Promise<unknown> => {
    const answer = await ask('start_agent_task', { agent_name, task_description, ...input });
    return (answer['task'] as Answer)['id'];
  };

  beforeAll(async () => {
    fleet = await dockerFleet();
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  /** An agent that is busy and has a task in its queue, whose ids are answered. */
  async function busyAgent(
    name: string,
  ): Promise<{ readonly id: string; readonly tasks: readonly unknown[] }> {
    const { workspace_id: id } = await idleAgent(ask, name);
    const begun = signalFile(fleet, `${name}-begun`);
    const running = await give(name, script({ write: begun }, { hold: signalFile(fleet, `${name}-go`) }));
    await until(async () => existsSync(begun), Boolean);
    const queued = await give(name, script({ append: signalFile(fleet, 'done') }), { when_busy: 'queue' });
    return { id, tasks: [queued, running] };
  }

  async function expectDone(name: string, tasks: readonly unknown[]): Promise<void> {
    const rows = await until(
      () => history(ask, name),
      (all) => all.some(({ id, state }) => id === tasks[0] && state === 'complete'),
      LIMIT_MS,
    );
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining([...tasks]));
    expect(rows).toHaveLength(tasks.length + 1);
  }

  it('says that a killed container failed, and does after a restart what it had accepted', async () => {
    const { id, tasks } = await busyAgent('killed');
    await docker('kill', containerOf(id));
    const agent = await until(
      () => agentOf(ask, 'killed'),
      (each) => each.status === 'failed',
      LIMIT_MS,
    );
    expect(agent.needs_attention).toBe(true);
    writeFileSync(signalFile(fleet, 'killed-go'), '');
    await ask('restart_agent', { agent_name: 'killed' });
    await expectDone('killed', tasks);
    expect(await history(ask, 'killed')).toMatchObject([{}, { state: 'interrupted' }, { state: 'complete' }]);
  });

  it.skipIf(!dockerPlace().own_daemon)(
    'goes on after a restart of the Docker daemon (skipped where the daemon is not of these tests)',
    async () => {
      const { tasks } = await busyAgent('rebooted');
      await stopOwnDaemon();
      writeFileSync(signalFile(fleet, 'rebooted-go'), '');
      await startOwnDaemon();
      await expectDone('rebooted', tasks);
      await until(
        () => status('rebooted'),
        (now) => now === 'idle',
        LIMIT_MS,
      );
    },
  );

  it('refuses tasks while its volume is full, and has lost none of those it accepted', async () => {
    await pushVariant(fleet.place, {
      name: 'small',
      display_name: 'Small',
      change: (main) => main.replace(/(name = "fleet-\S+-home"\n)/, `$1${SMALL_VOLUME}`),
    });
    const { workspace_id } = await idleAgent(ask, 'full', { project: 'Small' });
    const accepted = [await give('full', 'before')];
    await waitIdle(ask, 'full');
    await inContainer(workspace_id, 'cat /dev/zero >~/filling 2>/dev/null; true');
    const refused = await failure(
      (async () => {
        for (let count = 0; count < 200; count++)
          accepted.unshift(await give('full', `${'x'.repeat(10_000)} ${count}`, { when_busy: 'queue' }));
      })(),
    );
    expect(refused).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { reason: 'disk_full' } });
    expect(['busy', 'idle']).toContain(await status('full'));
    await inContainer(workspace_id, 'rm ~/filling');
    accepted.unshift(
      await until(() => give('full', 'after', { when_busy: 'queue' }).catch(() => ''), Boolean),
    );
    await expectDone('full', accepted);
  });

  it('fails with the reason when its image is gone at a restart, and has its files when the image is back', async () => {
    const image = 'fleet-workspace:passing';
    await changedImage(image, fleet.place.image);
    await pushVariant(fleet.place, { name: 'passing', display_name: 'Passing', variables: { image } });
    const { workspace_id } = await idleAgent(ask, 'passing', { project: 'Passing' });
    await inContainer(workspace_id, 'echo kept >~/project/kept.txt');
    await ask('stop_agent', { agent_name: 'passing' });
    await docker('image', 'rm', '--no-prune', image);
    await ask('restart_agent', { agent_name: 'passing' }).catch(() => {});
    const agent = await until(
      () => agentOf(ask, 'passing'),
      (each) => each.status === 'failed',
      LIMIT_MS,
    );
    expect(agent.status_reason).toContain(image);
    expect((await failure(give('passing', 'x'))).code).toBe('INVALID_INPUT');
    await docker('tag', fleet.place.image, image);
    await ask('restart_agent', { agent_name: 'passing' });
    await waitIdle(ask, 'passing');
    expect(await inContainer(workspace_id, 'cat ~/project/kept.txt')).toBe('kept');
    expect(await history(ask, 'passing')).toMatchObject([{ state: 'complete' }]);
  });
});
