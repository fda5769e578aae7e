import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endWorkspaces, newCoderUser } from '../support/coder/coder-user.ts';
import type { RealCoder } from '../support/coder/real-coder.ts';
import {
  CODER_CONFIG,
  coderDirectory,
  openCoderPlace,
  type CoderPlace,
} from '../support/places/coder-place.ts';
import { coderBackends } from '../../src/upkeep/coder/coder-backend-of.ts';

/** Where the set-up says which server runs. */
export const PLACE_VARIABLE = 'FLEET_TEST_CODER_PLACE';

export interface RealFleet extends CoderPlace {
  readonly coder: RealCoder;
}

export function realCoder(): RealCoder {
  return JSON.parse(readFileSync(join(process.env[PLACE_VARIABLE] ?? '', 'coder.json'), 'utf8')) as RealCoder;
}

/** A fleet of a user of its own on the real server, with nothing of it running afterwards. */
export async function realFleet(config = CODER_CONFIG): Promise<RealFleet> {
  const coder = await newCoderUser(realCoder());
  const place = openCoderPlace({ directory: coderDirectory(), server: coder, config });
  return {
    ...place,
    coder,
    [Symbol.asyncDispose]: async () => {
      const agents = await Promise.all((await coderBackends(place.opened)).map((backend) => backend.list()));
      await endWorkspaces(
        coder,
        agents.flat().map(({ workspace_id }) => workspace_id),
      );
      await place[Symbol.asyncDispose]();
    },
  };
}
