import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forwardPort } from '../support/docker/forward-port.ts';
import { gitForge, type GitForge } from '../support/git-forge.ts';
import { startModelServer, type ModelServer } from '../support/model-server/model-server.ts';
import { serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import { dockerFleet, type DockerFleet } from './docker-fleet.ts';
import { setUpTemplate } from './set-up-template.ts';

export interface ClaudeFleet extends DockerFleet {
  readonly model: ModelServer;
  readonly forge: GitForge;
  readonly served: ServedFleet;
}

const TASKFILE = `version: '3'
tasks:
  place: { meta: { include_in_list: true }, cmd: 'echo "$HOME"' }
`;

/** A fleet with the template that `fleet coder setup` pushes: its workspaces have Claude Code with a scripted model, and
 *  a clone of a repository of a git server. */
export async function claudeFleet(): Promise<ClaudeFleet> {
  const fleet = await dockerFleet();
  const { gateway } = fleet.place;
  const [model, forge, served] = [
    await startModelServer(),
    await gitForge(fleet.directory),
    await serveFleet(fleet.env, '--host', gateway),
  ];
  const ports = [model.url, forge.url].map((url) => Number(new URL(url).port));
  const forwarded = await Promise.all(ports.map((port) => forwardPort(gateway, port)));
  const [modelPort, forgePort] = ports;
  fillRepository(fleet.directory, forge);
  await setUpTemplate(fleet, {
    repository: `http://somebody:${forge.token}@${gateway}:${forgePort}/team/setup.git`,
    agent_env: [
      `ANTHROPIC_BASE_URL=http://${gateway}:${modelPort}`,
      'ANTHROPIC_API_KEY=scripted',
      'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1',
      'CLAUDE_CODE_MAX_RETRIES=1',
    ].join('\n'),
    fleet_url: served.mcp_url,
    fleet_token: served.token,
  });
  return {
    ...fleet,
    model,
    forge,
    served,
    [Symbol.asyncDispose]: async () => {
      await served[Symbol.asyncDispose]();
      await fleet[Symbol.asyncDispose]();
      for (const each of [...forwarded, model, forge]) await each[Symbol.asyncDispose]();
    },
  };
}

function fillRepository(directory: string, forge: GitForge): void {
  const clone = join(directory, 'filling');
  mkdirSync(clone);
  const git = (...args: string[]): unknown => execFileSync('git', ['-C', clone, ...args], { stdio: 'pipe' });
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(clone, 'Taskfile.yml'), TASKFILE);
  git('add', '--all');
  git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '-m', 'first');
  git('push', '--quiet', forge.repository, 'main');
}
