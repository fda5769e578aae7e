import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../../src/platform/processes/find-program.ts';
import { asUser, LEVELS, why, type ContainedFleet } from '../contained/level.ts';
import { until } from '../support/fleets/fleet-under-test.ts';
import { without } from '../tools/packages.ts';
import { gitOverHttps, gitOverSsh, run, SSH_SERVER } from './git-server.ts';
import { inUserHome, toolFleet, TOOL_PATH, work } from './work.ts';

const COMMIT = 'echo made > made && git add made && git commit --quiet --message made';
const absent = (...names: string[]): string | undefined =>
  names.filter((name) => findProgram(name, TOOL_PATH) === undefined).map((name) => `there is no ${name}`)[0];
const noSsh =
  absent('ssh', 'ssh-agent', 'ssh-add', 'ssh-keygen') ??
  (without(SSH_SERVER).missing ? `${SSH_SERVER.name} could not be installed` : undefined);

describe.each(LEVELS.filter(({ sealed }) => sealed))('an agent $name', (level) => {
  it.skipIf(level.skip !== undefined)(
    `commits as its user, with the hooks of the repository${why(level)}`,
    async () => {
      await using fleet = toolFleet(level);
      inUserHome(fleet, { '.gitconfig': '[user]\n\tname = The User\n\temail = user@example.com\n' });
      const repository = join(fleet.directory, 'setup');
      mkdirSync(join(repository, '.hooks'));
      const hook = join(repository, '.hooks', 'pre-commit');
      writeFileSync(hook, '#!/bin/sh\necho checked >> made && git add made\n');
      chmodSync(hook, 0o755);
      for (const words of [
        ['add', '.'],
        ['-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '--quiet', '--message', 'hooks'],
        ['config', 'core.hooksPath', '.hooks'],
      ])
        asLevel(fleet, 'git', '-C', repository, ...words);
      const script = `${COMMIT} && git show --format='%an <%ae>' && git status --short`;
      const lines = await work(fleet, 'author', { script });
      expect(lines).toContain('The User <user@example.com>');
      expect(lines).toContain('+checked');
    },
  );

  const noHttps = level.skip ?? absent('openssl');
  it.skipIf(noHttps !== undefined)(
    `pushes over https, with the stored password of its user${why({ ...level, skip: noHttps })}`,
    async () => {
      await using fleet = toolFleet(level);
      const served = remoteOf(fleet);
      await using server = await gitOverHttps(served, 'me:secret');
      const address = `localhost:${server.port}`;
      inUserHome(fleet, {
        '.gitconfig': `[user]\n\tname = u\n\temail = u@example.com\n[credential]\n\thelper = store\n[http]\n\tsslCAInfo = ${join(fleet.userHome, 'cert.pem')}\n`,
        '.git-credentials': `https://me:secret@${address}\n`,
        'cert.pem': readFileSync(join(served, 'cert.pem'), 'utf8'),
      });
      await work(fleet, 'pusher', {
        script: `${COMMIT} && git push --quiet https://${address}/made.git HEAD:pushed`,
      });
      expect(pushed(served)).toBe('made');
    },
  );

  const skipSsh = level.skip ?? noSsh;
  it.skipIf(skipSsh !== undefined)(
    `pushes over ssh with the ssh agent of its user when its role allows it, and else not${why({ ...level, skip: skipSsh })}`,
    async () => {
      const roles = { pushing: { agent: 'command', command: ['sh', '-s'], ssh_agent: true } };
      await using fleet = toolFleet(level, roles);
      const served = remoteOf(fleet);
      await using _agent = await sshAgent(fleet);
      await using server = await gitOverSsh(served, join(fleet.userHome, 'key.pub'));
      // As many users have it: connections are shared by a socket in the home directory.
      inUserHome(fleet, {
        '.gitconfig': '[user]\n\tname = u\n\temail = u@example.com\n',
        'ssh-config': [
          'Host server',
          'HostName 127.0.0.1',
          `Port ${server.port}`,
          'User git',
          'StrictHostKeyChecking no',
          'UserKnownHostsFile /dev/null',
          'LogLevel ERROR',
          'ControlMaster auto',
          `ControlPath ${fleet.userHome}/shared-%C`,
          '',
        ].join('\n'),
        // The settings of ssh are in the home directory that the system knows, which is not that of this user.
        'bin/ssh': `#!/bin/sh\nexec ${findProgram('ssh', TOOL_PATH)} -F '${fleet.userHome}/ssh-config' "$@"\n`,
      });
      chmodSync(join(fleet.userHome, 'bin', 'ssh'), 0o755);
      fleet.env['PATH'] = `${join(fleet.userHome, 'bin')}:${TOOL_PATH}`;
      const script = `${COMMIT} && git push --quiet "server:${served}/made.git" HEAD:pushed 2>&1`;
      await expect(work(fleet, 'other', { script })).rejects.toThrow('Permission denied (publickey)');
      await work(fleet, 'pusher', { script, role: 'pushing' });
      expect(pushed(served)).toBe('made');
    },
  );
});

/** Where the server finds a repository that is empty, and the agent cannot write. */
function remoteOf({ directory }: ContainedFleet): string {
  const served = join(directory, 'served');
  mkdirSync(served);
  run('git', ['init', '--quiet', '--bare', join(served, 'made.git')]);
  run('git', ['-C', join(served, 'made.git'), 'config', 'http.receivepack', 'true']);
  return served;
}

function pushed(served: string): string {
  return run('git', ['-C', join(served, 'made.git'), 'log', '-1', '--format=%s', 'pushed']).trim();
}

function asLevel({ level, userHome }: ContainedFleet, ...words: string[]): void {
  const [file = '', ...args] = [...asUser(level.uid), ...words];
  run(file, args, { PATH: TOOL_PATH, HOME: userHome });
}

/** An ssh agent of the user, with one key. */
async function sshAgent(fleet: ContainedFleet): Promise<AsyncDisposable> {
  const key = join(fleet.userHome, 'key');
  asLevel(fleet, 'ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key);
  const socket = join(fleet.directory, 'ssh-agent.sock');
  const [file, ...args] = [...asUser(fleet.level.uid), 'ssh-agent', '-D', '-a', socket];
  const child = spawn(file, args, { stdio: 'ignore' });
  const ended = once(child, 'close');
  await until(async () => existsSync(socket), Boolean);
  fleet.env['SSH_AUTH_SOCK'] = socket;
  const [add, ...words] = [...asUser(fleet.level.uid), 'ssh-add', '-q', key];
  spawnSync(add, words, { env: { ...fleet.env } });
  // Only the agent has it now.
  run('rm', [key]);
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
    },
  };
}
