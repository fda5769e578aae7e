import { readFileSync } from 'node:fs';
import type { RealCoder } from '../support/coder/real-coder.ts';

/** Where the set-up says what runs. */
export const PLACE_VARIABLE = 'FLEET_TEST_DOCKER_PLACE';

/** A server for these tests: no limit of requests, and terraform's provider for containers. */
export const CONTAINER_CODER = { FLEET_CODER_RATE_LIMIT: '-1', FLEET_CODER_TOOLS: 'docker' };

export interface DockerPlace {
  /** Whether the Docker daemon was started by these tests, which may then restart it. */
  readonly own_daemon: boolean;
  /** The address by which containers reach this machine. */
  readonly gateway: string;
  /** A directory that containers see too, at the same path. */
  readonly shared: string;
  /** The address of the packed fleet-mcp of this checkout. */
  readonly fleet_package: string;
  /** By our recipe, with Claude Code, and with the program task. */
  readonly image: string;
  /** The same without Fleet's package and without a coding agent. */
  readonly bare_image: string;
  readonly coder: RealCoder;
}

export function dockerPlace(): DockerPlace {
  return JSON.parse(readFileSync(process.env[PLACE_VARIABLE] ?? '', 'utf8')) as DockerPlace;
}
