/** Who an agent runs as. */
export type EscapeUser = 'root' | 'plain';

interface EscapeRow {
  readonly does: string;
  readonly happens: string;
  /** What the programs of test/contained call it. */
  readonly tries: readonly string[];
  /** For whom it is not held. */
  readonly reachedBy?: readonly EscapeUser[];
}

const EVERYBODY: readonly EscapeUser[] = ['root', 'plain'];

/** The table of SECURITY.md. Each row is tried by an agent at level `namespace`, as root and as a plain user. */
export const ESCAPE_ROWS: readonly EscapeRow[] = [
  {
    does: 'writes, appends to, empties, removes, or changes mode, owner or times of `~/.bashrc`; writes start-up files of other shells',
    happens: 'EROFS',
    tries: [
      'write ~/.bashrc',
      'add to ~/.bashrc',
      'remove ~/.bashrc',
      'change the mode of ~/.bashrc',
      'empty a file of its user',
      'change the times of a file of its user',
      'change the owner of a file of its user',
      'write start-up files of other shells',
    ],
  },
  {
    does: 'writes `~/.gitconfig`, a global `core.hooksPath`, `~/.ssh` (`authorized_keys`, `config`, `rc`), `~/.npmrc` and the configuration of other tools, `~/.claude/settings.json` and that of other coding agents, `~/.config/fleet/fleet.yaml`',
    happens: 'EROFS',
    tries: [
      'write ~/.gitconfig',
      'set a hook path for all repositories',
      'write ~/.ssh/authorized_keys',
      'write the configuration of ssh',
      'write the configuration of tools',
      'write ~/.claude/settings.json',
      'write the configuration of coding agents',
      'write ~/.config/fleet/fleet.yaml',
    ],
  },
  {
    does: 'puts a program into `~/.local/bin` or another directory in PATH, into `~/.config/autostart`, or a unit into `~/.config/systemd/user`',
    happens: 'EROFS',
    tries: [
      'put a program into ~/.local/bin',
      'put a program into ~/.config/autostart',
      'write a service of its user',
      'write to a directory in PATH',
    ],
  },
  {
    does: 'moves `~/.local/share`, `~/.config` or the home directory away, or makes a home for the next fleet',
    happens: 'EROFS, or busy',
    tries: [
      'move the directory of fleets away',
      'move a directory of its user away',
      'move its home directory away',
      'make a home for the next fleet',
    ],
  },
  {
    does: 'changes `fleet.yaml`, the files of the repository, or moves the repository',
    happens: 'EROFS, or not there',
    tries: [
      'change the configuration of the fleet',
      'write to the files of the repository',
      'move the repository away',
    ],
  },
  {
    does: "changes Fleet's own package, an installed adapter, its command `fleet`, or its Node",
    happens: 'EROFS',
    tries: [
      'change the package of the fleet',
      'change an adapter of a coding agent',
      'change the command that it was given',
      'change the program that runs it',
    ],
  },
  {
    does: 'writes to `/etc`, `/usr`, `/var` and other directories of the system, to `/etc/passwd`, or leaves work for cron or at',
    happens: 'EROFS',
    tries: [
      'write to /etc',
      'write to /usr/local/bin',
      'write to directories of the system',
      'change the users of the machine',
      'leave work for cron or at',
    ],
  },
  {
    does: 'writes by a symbolic link, a hard link, a descriptor that it has for reading, `/proc/self/fd`, `/proc/1/root` or `/proc/1/cwd`',
    happens: 'EROFS, EXDEV, or no such file',
    tries: [
      'write by a link in a directory that it can write to',
      'write by a hard link',
      'write by a descriptor that it has for reading',
      'write by the descriptor of a directory',
      'write by the root of its init',
      'write by the directory of its init',
    ],
  },
  {
    does: 'remounts its home writable, unmounts a mask, or changes its root, as it is and in a user namespace of its own',
    happens: 'refused by the kernel',
    tries: [
      'make its home writable',
      'make its home writable in a namespace of its own',
      'lift the mask',
      'lift the mask from a namespace of its own',
      'look below the mask',
      'lift the mask of /run',
      'change its root once more',
    ],
  },
  {
    does: 'leaves by a chroot, opens a file by its inode, or enters the namespaces of another process',
    happens: 'not there, or refused by the kernel',
    tries: [
      'leave by a chroot',
      'open the token by its inode',
      'enter the namespaces of a process of its user',
    ],
  },
  {
    does: 'opens a window in your tmux',
    happens: 'no such server',
    tries: ['run a program in the tmux of its user'],
  },
  {
    does: "connects to a program in `/tmp` (X11, editors), `/run`, XDG_RUNTIME_DIR (session bus, editors), Docker's or gpg's socket, an ssh control socket, an ssh agent, git's credential cache",
    happens: 'no such file, or refused',
    tries: [
      'reach a program in /tmp',
      'reach a program in a directory of /tmp',
      'reach the X server of its user',
      'reach a program in /run',
      'reach a program in the runtime directory',
      'reach an editor in the runtime directory',
      'reach the docker daemon of its user',
      'reach the gpg agent of its user',
      'reach an ssh connection of its user',
      'reach an ssh connection in a directory of its own',
      'reach the passwords that git has stored',
      'use the ssh agent of its user',
    ],
  },
  {
    does: 'reads or types into a terminal of yours',
    happens: 'not there',
    tries: ['see the terminal of another', 'type into the terminal of its user'],
  },
  {
    does: 'signals, reads or ends another process of yours, or removes shared memory of yours',
    happens: 'no such process, no such segment',
    tries: [
      'signal a process of its user',
      'read the environment of a process of its user',
      'send a signal to the runner',
      'read the environment of the runner',
      'remove shared memory of its user',
    ],
  },
  {
    does: 'has the kernel run a program (`core_pattern`, `modprobe`, `uevent_helper`, `binfmt_misc`), or changes `/proc/sys`, sysrq, interrupts or devices, also by a `/proc` or `/sys` of its own',
    happens: 'refused',
    tries: [
      'have the kernel run a program outside',
      'have the kernel run a program of its own',
      'change settings of the kernel',
      'end the machine',
      'change devices and interrupts by /proc',
      'change devices by /sys',
      'rule the kernel by a /proc of its own',
      'rule devices by a /sys of its own',
    ],
  },
  {
    does: 'opens or makes the device of a disk, memory, kernel log, KVM, FUSE or a tunnel',
    happens: 'not there, or refused',
    tries: ['open a disk', 'open memory, disks and other devices', 'make the device of a disk'],
  },
  {
    does: 'as root: listens to or changes the network, sets the clock, loads modules, reboots, makes a file that nobody can remove; as a plain user: gets powers by a setuid program',
    happens: 'not permitted',
    tries: [
      'listen to the network of the machine',
      'change the network of the machine',
      'use the powers of root over the machine',
      'make a file that nobody can remove',
      'get powers by a setuid program',
    ],
  },
  {
    does: 'leaves its control group, changes limits or `release_agent`, ends the processes of a group that your user owns',
    happens: 'refused',
    tries: [
      'leave its control group',
      'change the limits of control groups',
      'end the processes of a group that its user owns',
    ],
  },
  {
    does: "reads the token, the fleet's login to a coding agent, store, journals, other workspaces; reaches a runner; uses the fleet as you",
    happens: 'not there',
    tries: [
      'read the token',
      'read the token from the directory above',
      'read the token by its init',
      'read the token by the directory of its init',
      'read the login of a coding agent',
      'read the store',
      'write to the store',
      'put a file into the home',
      'read another journal',
      'write to its own journal',
      'list another workspace',
      'reach another runner',
      'reach another agent as itself',
      'reach its own runner',
      'use the fleet as its owner',
      'make a token',
      'stop itself by its own socket',
      'cancel its task by its own socket',
    ],
  },
  {
    does: 'reads or writes state, temporary files or commands of another agent, or the caches of another project',
    happens: 'not there',
    tries: [
      'read the files of another agent',
      'put a program before another agent',
      'read the caches of another project',
      'write to the caches of another project',
    ],
  },
  {
    does: 'moves its workspace or a directory on the way to it, replaces its caches by a link, takes the place of its runner or of the next probe',
    happens: 'EROFS, busy, or not there',
    tries: [
      'make a workspace of its own choice',
      'move its workspace',
      'move the directory around its workspace',
      'replace the caches of its project by a link',
      'put a socket in the place of its runner',
      'be in the way of the next probe',
    ],
  },
  {
    does: 'reads what `hide` names, or lists the temporary files of others',
    happens: 'empty',
    tries: [
      'read what is hidden from it',
      'read a file that is hidden from it',
      'list the temporary files of others',
    ],
  },
  {
    does: "writes hooks, settings, conditional includes, attributes, refs or objects into the project's git directory, or replaces its index by a FIFO",
    happens: 'EROFS',
    tries: ["planted in the project's repository"],
  },
  {
    does: 'plants filters, hooks, fsmonitor, includes and attributes in its own repository, then waits for `fleet show`, `fleet create`, `fleet delete` or your next commit',
    happens: 'runs nowhere but in a sandbox with less than its own',
    tries: ['nothing that it plants is run outside'],
  },
  {
    does: 'replaces its own index by a FIFO and includes one in its settings',
    happens: 'nobody waits for it; `fleet delete` moves it to the archive',
    tries: ['keeps nobody waiting, whatever it is made of'],
  },
  {
    does: 'makes commits with paths such as `.git`, links such as `.gitmodules`, or submodules that lead out',
    happens: 'not taken over; the log says why',
    tries: ['has work that is refused'],
  },
  {
    does: 'commits a symbolic link in the place of a directory from which the project copies files into new workspaces',
    happens: 'the file is not copied; nothing is written outside the workspace',
    tries: ['is copied through no link that it committed'],
  },
  {
    does: "starts a web server that you open in the browser in which you use Fleet's page: looks for the secret of the page, calls the fleet from its own page, shows the page in a frame, uses everything that the browser sends",
    happens: 'refused, or nothing there',
    tries: [
      'find a secret of the page in its own storage',
      'read the fleet from its own page',
      'give a task from its own page',
      'look into a frame with the page',
      'repeat the headers of the browser',
      'use what the browser sent as a token',
    ],
  },
  {
    does: 'reaches a socket at another place in your home directory',
    happens: '**reached**',
    tries: ['reach a socket at an unknown place in the home directory'],
    reachedBy: EVERYBODY,
  },
  {
    does: 'connects to a service on loopback, or to an abstract socket',
    happens: '**reached**',
    tries: ['reach a service on loopback', 'reach an abstract socket of its user'],
    reachedBy: EVERYBODY,
  },
  {
    does: 'writes to its own control group in a control group namespace of its own',
    happens: 'refused for a plain user; **reached** as root, which can lift its limit of processes that way',
    tries: ['write to a group by a namespace of its own'],
    reachedBy: ['root'],
  },
];

/** What an agent got although no row says so, what it did not get although one does, and what no row names. */
export function unlikeRows(
  outcomes: Readonly<Record<string, string>>,
  { user, uses }: { readonly user: EscapeUser; readonly uses: readonly string[] },
): readonly string[] {
  const expected = (what: string): boolean | undefined => {
    if (uses.includes(what)) return true;
    const row = ESCAPE_ROWS.find(({ tries }) => tries.includes(what));
    return row === undefined ? undefined : row.reachedBy?.includes(user) === true;
  };
  return Object.entries(outcomes)
    .filter(([what, outcome]) => (outcome === 'yes') !== expected(what))
    .map(([what, outcome]) => `${what}: ${outcome}`);
}

export function securityTable(): string {
  const rows = ESCAPE_ROWS.map(({ does, happens }) => `| ${does} | ${happens} |`);
  return ['| what the agent does | what happens |', '|---|---|', ...rows].join('\n');
}
