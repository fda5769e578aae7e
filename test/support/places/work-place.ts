import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askAs, type Ask, type FleetUnderTest } from '../fleets/fleet-under-test.ts';
import { coderFleet, type CoderFleet } from '../fleets/coder-fleet.ts';
import { forgeFor, gitForge, type GitForge } from '../git-forge.ts';
import { localFleet, makeRepository } from '../fleets/local-fleet.ts';

/** A fleet whose project Setup has a repository at a forge. */
export interface WorkPlace extends AsyncDisposable {
  readonly fleet: FleetUnderTest;
  readonly ask: Ask;
  readonly forge: GitForge;
  /** A role that runs each task as a shell script. */
  readonly role: string;
  /** False where landing is a pull request that the forge merges. */
  readonly lands: boolean;
  /** Commits a file to the base of the project. */
  commitToBase(path: string, text: string): void;
}

export interface CoderWorkPlace extends WorkPlace {
  readonly fleet: CoderFleet;
}

export async function localWorkPlace(): Promise<WorkPlace> {
  const opened = new AsyncDisposableStack();
  const fleet = opened.use(localFleet());
  const forge = opened.use(await forgeFor(fleet));
  return {
    fleet,
    ask: askAs(fleet.fleet),
    forge,
    role: 'shell',
    lands: true,
    commitToBase: (path, text) => commit(fleet.repository, path, text),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export async function coderWorkPlace(): Promise<CoderWorkPlace> {
  return onCoder(async ({ config, forge }) => {
    const fleet = await coderFleet(config);
    const askpass = join(fleet.directory, 'askpass');
    writeFileSync(askpass, `#!/bin/sh\necho ${WORKSPACE_PASSWORD}\n`, { mode: 0o755 });
    fleet.standIn.manners.repository = { url: `${forge.url}/team/setup.git`, askpass };
    return fleet;
  });
}

/** What a fleet on Coder is opened with. */
export interface CoderForge {
  readonly config: string;
  readonly forge: GitForge;
  /** With the login that workspaces have. */
  readonly address: string;
}

/** Workspaces log in to the forge with a password of their own: the token of the fleet stays with the fleet. */
export async function onCoder<Fleet extends FleetUnderTest & { readonly env: NodeJS.ProcessEnv }>(
  open: (forge: CoderForge) => Promise<Fleet>,
): Promise<WorkPlace & { readonly fleet: Fleet }> {
  const opened = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), 'fleet-forge-'));
  opened.defer(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const forge = opened.use(await gitForge(directory));
  const base = makeRepository(join(directory, 'base'));
  git(base, 'push', '--quiet', forge.repository, 'main');
  forge.takes.git = [WORKSPACE_PASSWORD];
  const config = `version: 1
backend: coder
forges:
  local: { type: gitea, url: ${JSON.stringify(forge.url)}, token_env: SOME_FORGE_TOKEN }
`;
  const address = `${forge.url.replace('://', `://workspace:${WORKSPACE_PASSWORD}@`)}/team/setup.git`;
  const fleet = opened.use(await open({ config, forge, address }));
  Object.assign(fleet.env, { SOME_FORGE_TOKEN: forge.token });
  return {
    fleet,
    ask: askAs(fleet.fleet),
    forge,
    role: 'coder',
    lands: false,
    commitToBase: (path, text) => {
      commit(base, path, text);
      git(base, 'push', '--quiet', forge.repository, 'main');
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const WORKSPACE_PASSWORD = 'workspace-password-1';

function commit(repository: string, path: string, text: string): void {
  writeFileSync(join(repository, path), text);
  git(repository, 'add', '.');
  git(repository, 'commit', '--quiet', '-m', `base: ${path}`);
}

function git(repository: string, ...args: string[]): void {
  const who = ['-c', 'user.name=Base', '-c', 'user.email=base@localhost'];
  execFileSync('git', ['-C', repository, ...who, ...args], { stdio: 'pipe' });
}
