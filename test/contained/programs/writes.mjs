// An agent that tries to become its user. Says for each way whether it got anywhere, one JSON line each.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { nested, reach, run, tryAll } from './escapes/ways.mjs';

const { sockets, tmux, marks, repository, config, hidden } = JSON.parse(fs.readFileSync(0, 'utf8'));
if (sockets === undefined) process.exit(0);
const { HOME } = process.env;
const write = (path) => () => fs.writeFileSync(path, 'planted');
const make = (path) => () => {
  fs.mkdirSync(join(path, '..'), { recursive: true });
  fs.writeFileSync(path, 'planted');
};

const tries = {
  ...Object.fromEntries(Object.entries(sockets).map(([name, path]) => [`reach ${name}`, () => reach(path)])),
  'run a program in the tmux of its user': () => {
    run('tmux', '-L', tmux, 'new-window', `touch '${marks}/escaped'`);
  },
  'use the ssh agent of its user': () => reach(process.env.SSH_AUTH_SOCK ?? '/nowhere'),
  'move the directory of fleets away': () => fs.renameSync(join(HOME, '.local/share'), join(HOME, 'away')),
  'make a home for the next fleet': make(join(HOME, '.local/share/fleet/token')),
  'write ~/.bashrc': write(join(HOME, '.bashrc')),
  'add to ~/.bashrc': () => fs.appendFileSync(join(HOME, '.bashrc'), 'planted'),
  'remove ~/.bashrc': () => fs.rmSync(join(HOME, '.bashrc')),
  'change the mode of ~/.bashrc': () => fs.chmodSync(join(HOME, '.bashrc'), 0o777),
  'write ~/.gitconfig': write(join(HOME, '.gitconfig')),
  'set a hook path for all repositories': () => run('git', 'config', '--global', 'core.hooksPath', marks),
  'put a program into ~/.local/bin': make(join(HOME, '.local/bin/git')),
  'put a program into ~/.config/autostart': make(join(HOME, '.config/autostart/x.desktop')),
  'write ~/.claude/settings.json': make(join(HOME, '.claude/settings.json')),
  'write ~/.ssh/authorized_keys': make(join(HOME, '.ssh/authorized_keys')),
  'write ~/.config/fleet/fleet.yaml': make(join(HOME, '.config/fleet/fleet.yaml')),
  'change the configuration of the fleet': write(config),
  'write to the files of the repository': write(join(repository, 'README.md')),
  'move the repository away': () => fs.renameSync(repository, `${repository}-away`),
  'write to /etc': write('/etc/fleet-planted'),
  'write to /usr/local/bin': write('/usr/local/bin/fleet-planted'),
  'change the program that runs it': () => fs.openSync(process.execPath, 'r+'),
  'write by a link in a directory that it can write to': () => {
    fs.symlinkSync(join(HOME, '.bashrc'), join(marks, 'link'));
    fs.appendFileSync(join(marks, 'link'), 'planted');
  },
  'write by a hard link': () => {
    fs.linkSync(join(HOME, '.bashrc'), 'hard');
    fs.appendFileSync('hard', 'planted');
  },
  'write by the root of its init': write(join('/proc/1/root', HOME, 'planted')),
  'write by the directory of its init': () =>
    fs.appendFileSync(`/proc/1/cwd/../../../user/.bashrc`, 'planted'),
  'make its home writable': () => run('mount', '-o', 'remount,bind,rw', '/'),
  'make its home writable in a namespace of its own': () =>
    nested(
      `mount -o remount,bind,rw '${HOME}' || mount -o remount,bind,rw /; echo planted >> '${HOME}/.bashrc'`,
    ),
  'lift the mask of /run': () => nested(`umount -l /run && test -e /run/lock`),
  'read what is hidden from it': () => fs.readFileSync(join(hidden, 'secret')),
  'read a file that is hidden from it': () => {
    if (fs.readFileSync(join(HOME, 'hidden-file'), 'utf8') === '') throw new Error('empty');
  },
  'list the temporary files of others': () => {
    if (!fs.readdirSync('/tmp').includes(`${tmux}.sock`)) throw new Error('not there');
  },
};
const uses = {
  'write to /tmp': write('/tmp/own'),
  'write to /var/tmp': write('/var/tmp/own'),
  'write to /dev/shm': write('/dev/shm/own'),
  'write where its role allows it': write(join(marks, 'allowed')),
  'keep a cache': make(join(process.env.XDG_CACHE_HOME, 'some/file')),
  'keep packages of npm': make(join(process.env.npm_config_cache, 'some/file')),
  'read the files of its user': () => fs.readFileSync(join(HOME, '.bashrc')),
  'read the files of the repository': () => fs.readFileSync(join(repository, 'README.md')),
  'commit with a hook': () => {
    fs.writeFileSync('made', 'yes');
    run('git', 'add', 'made');
    run(
      'git',
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@b',
      '-c',
      'core.hooksPath=.',
      'commit',
      '-qm',
      'made',
    );
  },
  'make a namespace of its own': () => nested('mount -t tmpfs none /mnt && echo x > /mnt/x'),
  report: () => run('fleet', 'report', 'hello'),
};
await tryAll({ ...tries, ...uses });
