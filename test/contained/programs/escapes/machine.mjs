import { closeSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { anyOf, needPower, nested, open, run } from './ways.mjs';

const HANDLE = `
import ctypes, os, sys
kind, data = int(sys.argv[1]), bytes.fromhex(sys.argv[2])
class Handle(ctypes.Structure):
    _fields_ = [('bytes', ctypes.c_uint), ('kind', ctypes.c_int), ('data', ctypes.c_ubyte * len(data))]
handle = Handle(len(data), kind, (ctypes.c_ubyte * len(data)).from_buffer_copy(data))
kernel = ctypes.CDLL(None, use_errno=True)
for place in ('/', os.getcwd(), '/tmp'):
    if kernel.open_by_handle_at(os.open(place, os.O_RDONLY), ctypes.byref(handle), os.O_RDONLY) >= 0:
        sys.exit(0)
sys.exit(os.strerror(ctypes.get_errno()))
`;
const CHROOT = `
mkdir 'in'; chroot 'in' or die $!; chdir '..' for 1..64; chroot '.' or die $!;
open(F, '<', $ARGV[0]) or die $!;
`;

/** Powers by which root rules the machine, by their numbers in the kernel. */
const POWERS = {
  clock: 25,
  modules: 16,
  reboot: 22,
  'raw devices': 17,
  'kernel log': 34,
  BPF: 39,
  records: 20,
};

/** Ways to rule the kernel, the devices and the processes of the machine. */
export function machine({ home, victim, segment, handle, group, python }) {
  const token = join(home, 'token');
  return {
    'have the kernel run a program of its own': () => {
      const files = [
        '/proc/sys/kernel/modprobe',
        '/proc/sys/kernel/core_pattern',
        '/sys/kernel/uevent_helper',
      ];
      anyOf([...files, '/proc/sys/fs/binfmt_misc/register'], open);
    },
    'change settings of the kernel': () =>
      anyOf(['/proc/sys/vm/swappiness', '/proc/sys/kernel/hostname'], open),
    'change devices and interrupts by /proc': () => {
      anyOf(filesBelow(['/proc/irq', '/proc/bus/pci', '/proc/acpi', '/proc/scsi']), open);
    },
    'change devices by /sys': () => anyOf(['/sys/power/state', '/sys/block'], changeDevice),
    'open memory, disks and other devices': () => {
      const names = ['mem', 'kmsg', 'kvm', 'fuse', 'loop-control', 'net/tun', 'vda', 'sda', 'nvme0n1'];
      anyOf(
        names.map((name) => join('/dev', name)),
        (path) => closeSync(openSync(path, 'r')),
      );
    },
    'make the device of a disk': () => {
      const [, major, minor] = / (\d+):(\d+) \/\S* \/ /.exec(readFileSync('/proc/self/mountinfo', 'utf8'));
      try {
        run('mknod', 'disk', 'b', major, minor);
      } finally {
        rmSync('disk', { force: true });
      }
    },
    'use the powers of root over the machine': () => {
      anyOf(Object.values(POWERS), needPower);
    },
    'change the limits of control groups': () => {
      anyOf(groupFiles(['pids.max', 'release_agent', 'cgroup.subtree_control', 'tasks']), open);
    },
    'end the processes of a group that its user owns': () => open(join(group, 'cgroup.procs')),
    'write to a group by a namespace of its own': () => {
      nested(`mount -t cgroup2 none /mnt && echo > /mnt/cgroup.subtree_control`, '--cgroup');
    },
    'rule the kernel by a /proc of its own': () => {
      nested('mount -t proc none /mnt && : >> /mnt/sys/kernel/core_pattern', '--pid', '--fork');
    },
    'rule devices by a /sys of its own': () => {
      nested('mount -t sysfs none /mnt && : >> /mnt/power/state', '--net');
    },
    'signal a process of its user': () => process.kill(victim, 0),
    'read the environment of a process of its user': () => readFileSync(`/proc/${victim}/environ`),
    'enter the namespaces of a process of its user': () => {
      run('nsenter', '--mount', '--target', String(victim), 'true');
    },
    'remove shared memory of its user': () => run('ipcrm', '--shmem-id', String(segment)),
    'type into the terminal of its user': () => closeSync(openSync('/dev/tty', 'r+')),
    'get powers by a setuid program': () => {
      const status = readFileSync('/proc/self/status', 'utf8');
      if (process.getuid() === 0 || /^NoNewPrivs:\s*1$/m.test(status)) throw new Error('not possible');
    },
    'leave by a chroot': () => {
      Object.assign(process.env, { CHROOT, TOKEN: token });
      anyOf([(script) => run('sh', '-c', script), nested], (chroot) => chroot('perl -e "$CHROOT" "$TOKEN"'));
    },
    'open the token by its inode': () => run(python, '-c', HANDLE, String(handle.kind), handle.data),
    'change its root once more': () => run('sh', '-c', 'mkdir -p new/old && pivot_root new new/old'),
  };
}

/** All files below directories, to a small depth. */
function filesBelow(directories) {
  return directories.flatMap((directory) => below(directory, 3));
}

function below(directory, depth) {
  try {
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.isFile()) return [path];
      return entry.isDirectory() && depth > 1 ? below(path, depth - 1) : [];
    });
  } catch {
    return [];
  }
}

function changeDevice(path) {
  if (path === '/sys/block') {
    anyOf(
      readdirSync(path).map((name) => join(path, name, 'queue', 'read_ahead_kb')),
      open,
    );
  } else open(path);
}

function groupFiles(names) {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  const groups = mounts.map((line) => line.split(' ')).filter(([, , type]) => type?.startsWith('cgroup'));
  return groups.flatMap(([, path]) => names.map((name) => join(path, name)));
}
