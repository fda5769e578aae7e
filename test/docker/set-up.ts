import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listBy } from '../../src/backends/coder/workspaces/list-workspaces.ts';
import { clientOf, purgeRealCoder, startRealCoder, type RealCoder } from '../support/coder/real-coder.ts';
import { baseImage } from '../support/docker/base-image.ts';
import { openDaemon, stopOwnDaemon } from '../support/docker/docker-daemon.ts';
import { containerOf, docker } from '../support/docker/docker.ts';
import { forwardPort } from '../support/docker/forward-port.ts';
import { servePackage } from '../support/docker/serve-package.ts';
import { changedImage, workspaceImage } from '../support/docker/workspace-image.ts';
import { SCRIPTED } from '../support/fleets/local-fleet.ts';
import { goTask } from '../support/installs/go-task.ts';
import { CONTAINER_CODER, PLACE_VARIABLE, type DockerPlace } from './docker-place.ts';
import { installDocker } from './missing-parts.ts';
import { pushDockerTemplates } from './push-templates.ts';

const RECIPE_IMAGE = 'fleet-workspace:recipe';
const IMAGE = 'fleet-workspace:test';
const BARE_IMAGE = 'fleet-workspace:bare';

const ends: (() => PromiseLike<void>)[] = [];

/** Before all tests with containers: a Docker daemon, an image by our recipe, a Coder server and templates. */
export async function setup(): Promise<void> {
  try {
    await prepare();
  } catch (thrown) {
    await teardown();
    throw thrown;
  }
}

async function prepare(): Promise<void> {
  installDocker();
  const { own, gateway } = await openDaemon();
  if (own) ends.push(() => stopOwnDaemon());
  const directory = mkdtempSync(join(tmpdir(), 'fleet-docker-'));
  ends.push(async () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  chmodSync(directory, 0o755);
  const shared = join(directory, 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o777);
  const served = await servePackage(process.env['FLEET_UNDER_TEST'] ?? '', gateway);
  ends.push(() => served[Symbol.asyncDispose]());
  const fleet_package = served.address;
  const base = await baseImage();
  await workspaceImage(RECIPE_IMAGE, { base, fleet_package, agents: 'claude' });
  const task = goTask();
  await changedImage(IMAGE, RECIPE_IMAGE, { programs: task === undefined ? [] : [join(task, 'task')] });
  await changedImage(BARE_IMAGE, IMAGE, { commands: ['rm -rf /opt/fleet /usr/local/bin/fleet'] });
  const state = join(directory, 'coder');
  ends.push(() => purgeRealCoder(state));
  const coder = await startRealCoder(state, CONTAINER_CODER);
  const forwarded = await forwardPort(gateway, Number(new URL(coder.url).port));
  ends.push(() => forwarded[Symbol.asyncDispose]());
  ends.push(() => removeContainers(coder));
  const place: DockerPlace = {
    own_daemon: own,
    gateway,
    shared,
    fleet_package,
    image: IMAGE,
    bare_image: BARE_IMAGE,
    coder,
  };
  copyFileSync(SCRIPTED, join(shared, 'scripted.mjs'));
  await pushDockerTemplates(place);
  writeFileSync(join(directory, 'place.json'), JSON.stringify(place));
  process.env[PLACE_VARIABLE] = join(directory, 'place.json');
}

/** Stops, in the reverse order, all that was started. */
export async function teardown(): Promise<void> {
  for (const end of ends.toReversed()) await end();
}

/** What the tests have left, by the workspaces that their server knows. */
async function removeContainers(coder: RealCoder): Promise<void> {
  const workspaces = await listBy(clientOf(coder), '');
  for (const { id } of workspaces) {
    await docker('rm', '--force', containerOf(id));
    await docker('volume', 'rm', '--force', `${containerOf(id)}-home`);
  }
}
