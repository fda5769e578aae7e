import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../support/fleets/fleet-under-test.ts';
import { findProgram } from '../../src/platform/processes/find-program.ts';
import { unlikeRows } from './escape-rows.ts';
import { asUser, ContainedFleet, LEVELS, why } from './level.ts';

const USES = [
  'write to /tmp',
  'write to /var/tmp',
  'write to /dev/shm',
  'write where its role allows it',
  'keep a cache',
  'keep packages of npm',
  'read the files of its user',
  'read the files of the repository',
  'commit with a hook',
  'make a namespace of its own',
  'report',
];

const FILES = [
  '.bashrc',
  '.gitconfig',
  '.local/share/some/file',
  '.local/bin/program',
  '.config/some/file',
  '.claude/settings.json',
  '.ssh/config',
  'hidden/secret',
  'hidden-file',
];

/** Where programs of the user listen, from the home directory on. */
const SOCKETS = {
  'the docker daemon of its user': '.docker/run/docker.sock',
  'the gpg agent of its user': '.gnupg/S.gpg-agent',
  'an ssh connection of its user': '.ssh/cm-host',
  'an ssh connection in a directory of its own': '.ssh/control/host',
  'the passwords that git has stored': '.cache/git/credential/socket',
  'a program in the runtime directory': 'runtime/bus',
  'an editor in the runtime directory': 'runtime/vscode-ipc-1.sock',
  'a socket at an unknown place in the home directory': 'odd.sock',
};

describe.each(LEVELS.filter(({ sealed }) => sealed))('an agent $name', (level) => {
  it.skipIf(level.skip !== undefined)(
    `writes only what is its own, and reaches no program of its user${why(level)}`,
    async () => {
      await using fleet = new ContainedFleet(level);
      await using user = await userOf(fleet);
      fleet.env['XDG_RUNTIME_DIR'] = join(fleet.userHome, 'runtime');
      if (user.hasTmux) {
        // What is out of reach inside can be reached outside.
        fleet.create('open', 'open-shell', `tmux -L ${fleet.id} new-window "touch '${fleet.marks}/reached'"`);
        await until(async () => existsSync(join(fleet.marks, 'reached')), Boolean);
      }
      const before = listing(fleet.userHome);
      fleet.create('writer', 'writing', '{}');
      fleet.call('start_agent_task', { agent_name: 'writer', task_description: JSON.stringify(user.task) });
      fleet.idle('writer');
      const outcomes = fleet.outcomes('writer');
      expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(USES));
      expect(unlikeRows(outcomes, { user: fleet.user, uses: USES })).toEqual([]);
      expect(listing(fleet.userHome)).toEqual(before);
      expect(existsSync(join(fleet.marks, 'allowed'))).toBe(true);
      expect(
        [join(tmpdir(), 'own'), '/var/tmp/own', join(fleet.marks, 'escaped')].filter(existsSync),
      ).toEqual([]);
      const { agent } = fleet.call('show_agent', { agent_name: 'writer' });
      const own = join(fleet.home, 'agents', (agent as { workspace_id: string }).workspace_id);
      expect(readFileSync(join(own, 'tmp', 'own'), 'utf8')).toBe('planted');
      fleet.call('delete_agent', { agent_name: 'writer' });
      expect(readdirSync(own.replace('agents', 'archive')).filter((name) => /tmp|stage/.test(name))).toEqual(
        [],
      );
    },
  );

  it.skipIf(level.skip !== undefined)(`reaches the sockets that its role names${why(level)}`, async () => {
    await using fleet = new ContainedFleet(level);
    await using user = await userOf(fleet);
    fleet.env['SSH_AUTH_SOCK'] = join(fleet.userHome, 'odd.sock');
    fleet.create('caller', 'calling', '{}');
    fleet.call('start_agent_task', { agent_name: 'caller', task_description: JSON.stringify(user.task) });
    fleet.idle('caller');
    expect(fleet.outcomes('caller')).toMatchObject({
      'use the ssh agent of its user': 'yes',
      'reach the docker daemon of its user': 'yes',
      'reach the gpg agent of its user': expect.stringContaining('no'),
    });
    delete fleet.env['SSH_AUTH_SOCK'];
    fleet.call('restart_agent', { agent_name: 'caller' });
    fleet.idle('caller');
    fleet.call('start_agent_task', { agent_name: 'caller', task_description: JSON.stringify(user.task) });
    fleet.idle('caller');
    expect(fleet.lines('caller').findLast((line) => line.includes('ssh agent'))).not.toContain('"yes"');
  });

  it.skipIf(level.skip !== undefined)(
    `is told which line of its role would allow a write${why(level)}`,
    async () => {
      await using fleet = new ContainedFleet(level);
      const path = join(fleet.userHome, '.config', 'some', 'file');
      mkdirSync(dirname(path), { recursive: true });
      const repository = join(fleet.directory, 'setup');
      const script = `echo x > '${path}' || touch '${path}2' || echo x > '${fleet.userHome}/.npmrc'
        git -C '${repository}' add . ; git -C '${repository}' update-ref refs/heads/mine HEAD`;
      fleet.create('told', 'shell', script);
      const { logs } = fleet.call('show_agent_log', { agent_name: 'told', page_size: 100 });
      const notes = (logs as { message: string }[])
        .map(({ message }) => message)
        .filter((message) => message.includes('is read-only for this agent'));
      expect(notes.toReversed()).toEqual([
        `"${path}" is read-only for this agent. To allow it, add to the role "shell" in fleet.yaml: write: ["${dirname(path)}"], then restart the agent.`,
        expect.stringContaining(`write: ["${fleet.userHome}/.npmrc"]`),
        `"${repository}/.git/index.lock" is read-only for this agent. Agents never write to the project's repository: commit in the workspace, and the work arrives there as the branch "fleet/told" after each task.`,
      ]);
      const { agent } = fleet.call('show_agent', { agent_name: 'told' });
      expect((agent as { refused_writes: string[] }).refused_writes).toEqual(notes.toReversed());
      // The table wraps its lines.
      expect(fleet.fleet('show', 'told').replaceAll(/\s+/g, ' ')).toContain(
        `read-only ${notes.toReversed().join(' ')}`.replaceAll(/\s+/g, ' '),
      );
      fleet.call('restart_agent', { agent_name: 'told' });
      fleet.idle('told');
      const after = fleet.call('show_agent', { agent_name: 'told' });
      expect((after['agent'] as { refused_writes: string[] }).refused_writes).toEqual([]);
    },
  );
});

/** A user at work: files in the home directory, programs that listen, a tmux. */
async function userOf(
  fleet: ContainedFleet,
): Promise<AsyncDisposable & { readonly task: object; readonly hasTmux: boolean }> {
  const { uid } = fleet.level;
  const servers: Server[] = [];
  for (const file of FILES) place(join(fleet.userHome, file));
  const inHome = Object.entries(SOCKETS).map(([name, path]) => [name, join(fleet.userHome, path)] as const);
  const outside = [
    ['a program in /tmp', join(tmpdir(), `${fleet.id}.sock`)],
    ['a program in a directory of /tmp', join(fleet.directory, 'beside', 'it.sock')],
    ['the X server of its user', join(tmpdir(), `.X11-${fleet.id}`)],
    ...(process.getuid?.() === 0 ? [['a program in /run', join('/run', `${fleet.id}.sock`)] as const] : []),
  ] as const;
  for (const [, path] of [...inHome, ...outside]) {
    mkdirSync(dirname(path), { recursive: true });
    const server = createServer().listen(path);
    await once(server, 'listening');
    chmodSync(path, 0o777);
    servers.push(server);
  }
  if (uid !== undefined)
    spawnSync('chown', ['-R', `${uid}:${uid}`, fleet.userHome, join(fleet.directory, 'beside')]);
  const tmux = (...words: string[]): void => {
    const [file = '', ...args] = [...asUser(uid), 'tmux', '-L', fleet.id, ...words];
    spawnSync(file, args, {
      env: { PATH: process.env['PATH'], HOME: fleet.userHome, SHELL: '/bin/sh' },
      cwd: '/',
    });
  };
  const hasTmux = findProgram('tmux', process.env['PATH']) !== undefined;
  if (hasTmux) tmux('new-session', '-d', 'sleep 600');
  return {
    hasTmux,
    task: {
      sockets: Object.fromEntries([...inHome, ...outside]),
      tmux: fleet.id,
      marks: fleet.marks,
      repository: join(fleet.directory, 'setup'),
      config: join(fleet.directory, 'fleet.yaml'),
      hidden: join(fleet.userHome, 'hidden'),
    },
    [Symbol.asyncDispose]: async () => {
      tmux('kill-server');
      for (const server of servers) server.close();
      for (const [, path] of outside) rmSync(path, { force: true });
    },
  };
}

function place(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `# content of ${path}\n`);
}

/** Every file with its mode and content, but for what a running program of the user changes. */
function listing(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => {
      const path = join(directory, name);
      const found = lstatSync(path);
      return `${name} ${found.mode} ${found.isFile() ? readFileSync(path, 'utf8') : ''}`;
    })
    .toSorted();
}
