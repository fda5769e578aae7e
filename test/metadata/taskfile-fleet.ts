import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { localFleet, type LocalFleet, type TestConfig } from '../support/fleets/local-fleet.ts';

/** A fleet whose agents find `task` in that directory, with files in the repository of the project Setup. */
export function taskfileFleet(
  bin: string,
  files: Readonly<Record<string, string>>,
  change: (config: TestConfig) => void = () => {},
): LocalFleet {
  const fleet = localFleet((config) => {
    for (const role of Object.values(config.roles))
      role['env'] = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    change(config);
  });
  commitFiles(fleet.repository, files);
  return fleet;
}

export function commitFiles(repository: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repository, name)), { recursive: true });
    writeFileSync(join(repository, name), text);
  }
  const git = (...args: string[]): unknown =>
    execFileSync('git', [
      '-C',
      repository,
      '-c',
      'user.name=Test',
      '-c',
      'user.email=test@localhost',
      ...args,
    ]);
  git('add', '--all');
  git('commit', '--quiet', '-m', 'files');
}
