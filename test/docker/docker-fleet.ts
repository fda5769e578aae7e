import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { coderBackends } from '../../src/upkeep/coder/coder-backend-of.ts';
import { newCoderUser } from '../support/coder/coder-user.ts';
import type { RealCoder } from '../support/coder/real-coder.ts';
import { CODER_CONFIG, openCoderPlace, type CoderPlace } from '../support/places/coder-place.ts';
import { containerOf, docker } from '../support/docker/docker.ts';
import { dockerPlace, type DockerPlace } from './docker-place.ts';

export interface DockerFleet extends CoderPlace {
  readonly place: DockerPlace;
  readonly coder: RealCoder;
}

/** A fleet of a user of its own, whose agents are containers; none of them is left afterwards. */
export async function dockerFleet(
  config = CODER_CONFIG,
  place: DockerPlace = dockerPlace(),
): Promise<DockerFleet> {
  const coder = await newCoderUser(place.coder);
  const directory = mkdtempSync(join(place.shared, 'fleet-'));
  // The user of the containers writes there too.
  chmodSync(directory, 0o777);
  const opened = openCoderPlace({ directory, server: coder, config });
  return {
    ...opened,
    place,
    coder,
    [Symbol.asyncDispose]: async () => {
      const agents = await Promise.all((await coderBackends(opened.opened)).map((each) => each.list()));
      for (const { workspace_id } of agents.flat()) await docker('rm', '--force', containerOf(workspace_id));
      await opened[Symbol.asyncDispose]();
    },
  };
}
