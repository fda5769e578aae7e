import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureHome, resolveHome } from '../platform/home.ts';
import { programFile } from '../platform/package.ts';
import { writeFileAtomic } from '../platform/write-file.ts';
import { DEMO_FILES } from './demo-files.ts';

export interface DemoPlace {
  readonly home: string;
  readonly config: string;
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Fleet demo',
  GIT_AUTHOR_EMAIL: 'demo@localhost',
  GIT_COMMITTER_NAME: 'Fleet demo',
  GIT_COMMITTER_EMAIL: 'demo@localhost',
};

/** A home of its own for the demo, inside the fleet's: a git repository and a configuration. Harmless to repeat. */
export function prepareDemo(env: NodeJS.ProcessEnv): DemoPlace {
  const home = ensureHome(join(ensureHome(resolveHome(env)), 'demo'));
  const repository = join(home, 'tiny-kit');
  if (!existsSync(repository)) makeRepository(repository);
  const config = join(home, 'fleet.yaml');
  writeFileAtomic(config, `${JSON.stringify(demoConfig(repository, env), null, 2)}\n`);
  return { home, config };
}

/** JSON is YAML. The roles are those of a real fleet, with a program of ours in the place of a model. */
function demoConfig(repository: string, env: NodeJS.ProcessEnv): object {
  const pace = env['FLEET_DEMO_PACE_MS'];
  const role = {
    agent: 'command',
    command: [process.execPath, programFile('demo/demo-agent')],
    env: { ...IDENTITY, ...(pace === undefined ? {} : { FLEET_DEMO_PACE_MS: pace }) },
  };
  return {
    version: 1,
    projects: {
      'tiny-kit': { repository, description: 'A small JavaScript library with tests', default_role: 'coder' },
    },
    roles: {
      coder: { ...role, description: 'Writes code, implements features, fixes bugs' },
      operator: { ...role, description: 'Looks after what is there' },
      shell: {
        agent: 'command',
        command: ['sh', '-s'],
        description: 'Runs the task as a shell script',
        env: IDENTITY,
      },
    },
  };
}

function makeRepository(repository: string): void {
  const making = `${repository}.making`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  for (const [name, content] of Object.entries(DEMO_FILES)) writeFileSync(join(making, name), content);
  const git = (...args: string[]): void => {
    execFileSync('git', ['-C', making, '-c', 'core.hooksPath=/dev/null', ...args], {
      stdio: 'pipe',
      env: { ...process.env, ...IDENTITY },
    });
  };
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--no-gpg-sign', '-m', 'Start tiny-kit');
  renameSync(making, repository);
}
