import * as fs from 'node:fs';
import { join } from 'node:path';
import { anyOf, makeIn, open, plant } from './ways.mjs';

const START_UP = ['.profile', '.zshrc', '.bash_profile', '.config/environment.d/x.conf'];
const SERVICES = ['.config/systemd/user/x.service', '.local/share/applications/x.desktop'];
const TOOLS = [
  '.config/git/config',
  '.git-credentials',
  '.npmrc',
  '.vimrc',
  '.tmux.conf',
  '.cargo/config.toml',
  '.config/pip/pip.conf',
  '.docker/config.json',
];
const CODING_AGENTS = ['.codex/config.toml', '.config/opencode/opencode.json', '.claude.json'];
const SSH = ['.ssh/config', '.ssh/rc', '.ssh/known_hosts'];

/** Ways to change files of the user, and of the machine. */
export function files({ packageRoot, adapters }) {
  const home = process.env.HOME;
  const inHome = (names) => () => anyOf(names, (name) => plant(join(home, name)));
  return {
    'write start-up files of other shells': inHome(START_UP),
    'write a service of its user': inHome(SERVICES),
    'write the configuration of tools': inHome(TOOLS),
    'write the configuration of coding agents': inHome(CODING_AGENTS),
    'write the configuration of ssh': inHome(SSH),
    'move a directory of its user away': () => move(join(home, '.config')),
    'move its home directory away': () => move(home),
    'empty a file of its user': () => fs.truncateSync(join(home, '.bashrc'), 1),
    'change the times of a file of its user': () => fs.utimesSync(join(home, '.bashrc'), 1, 1),
    'change the owner of a file of its user': () =>
      fs.chownSync(join(home, '.bashrc'), process.getuid(), process.getgid()),
    'write by a descriptor that it has for reading': () => {
      const reading = fs.openSync(join(home, '.bashrc'), 'r');
      open(`/proc/self/fd/${reading}`);
    },
    'write by the descriptor of a directory': () => {
      makeIn(`/proc/self/fd/${fs.openSync(home, 'r')}`);
    },
    'write to a directory in PATH': () => {
      anyOf(
        process.env.PATH.split(':').filter((path) => path !== ''),
        makeIn,
      );
    },
    'write to directories of the system': () => {
      anyOf(['/etc', '/usr/bin', '/usr/lib', '/opt', '/var/lib', '/var/log', '/root', '/boot', '/'], makeIn);
    },
    'leave work for cron or at': () => {
      anyOf(['/etc/cron.d', '/etc/cron.daily', '/var/spool/cron', '/var/spool'], makeIn);
    },
    'change the users of the machine': () => anyOf(['/etc/passwd', '/etc/shadow'], open),
    'change the package of the fleet': () => {
      anyOf([join(packageRoot, 'package.json'), join(packageRoot, 'bin', 'fleet.js')], open);
    },
    'change an adapter of a coding agent': () => makeIn(adapters),
  };
}

function move(path) {
  fs.renameSync(path, `${path}-away`);
  fs.renameSync(`${path}-away`, path);
}
