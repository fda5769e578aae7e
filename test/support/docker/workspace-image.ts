import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { docker } from './docker.ts';

const RECIPE = join(import.meta.dirname, '..', '..', '..', 'coder', 'image');

export interface ImageParts {
  readonly base: string;
  readonly fleet_package: string;
  readonly agents: string;
}

/** Builds our recipe for an image. */
export async function workspaceImage(
  tag: string,
  { base, fleet_package, agents }: ImageParts,
): Promise<void> {
  const given = { BASE: base, FLEET_PACKAGE: fleet_package, AGENTS: agents };
  const values = Object.entries(given).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
  await docker('build', '--quiet', '--network=host', ...values, '--tag', tag, RECIPE);
}

export interface Changes {
  /** Programs that are put on the PATH. */
  readonly programs?: readonly string[];
  readonly commands?: readonly string[];
}

/** An image that is another one with changes. */
export async function changedImage(tag: string, from: string, changes: Changes = {}): Promise<void> {
  const { programs = [], commands = [] } = changes;
  const directory = mkdtempSync(join(tmpdir(), 'fleet-image-'));
  try {
    for (const program of programs) copyFileSync(program, join(directory, basename(program)));
    const copies = programs.map((program) => `COPY ${basename(program)} /usr/local/bin/`);
    const lines = [
      `FROM ${from}`,
      'USER root',
      ...copies,
      ...commands.map((command) => `RUN ${command}`),
      'USER coder',
    ];
    writeFileSync(join(directory, 'Dockerfile'), `${lines.join('\n')}\n`);
    await docker('build', '--quiet', '--tag', tag, directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
