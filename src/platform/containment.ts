import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readProcStat } from './proc-stat.ts';
import { cellSteps, OPEN_CELL, type Cell } from './cell.ts';
import { makeProcessGroup, PROCESS_LIMIT, removeProcessGroup } from './process-group.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** `namespace`: the kernel ends every process of a task with the task, and with its runner, and hides from it what its
 *  cell hides. `marker`: processes are found by a variable in their environment, and nothing is hidden. */
export type ContainmentLevel = 'namespace' | 'marker';

export interface Containment {
  readonly level: ContainmentLevel;
  /** Why it is not better. */
  readonly reason: string | null;
}

export interface Wrapped {
  readonly file: string;
  readonly args: readonly string[];
}

/** Names the agent whose task a process belongs to, in that process's environment. */
export const RUN_MARKER = 'FLEET_RUN_MARKER';

/** What the processes of the containment itself have among their arguments, and a program does not. */
const INIT_NAME = 'fleet-task-init';

/** The namespace's init: makes the cell, then runs the program. It ends with the program, and the kernel ends the rest
 *  with it. Without it the program would be init itself, which ignores signals that it has no handler for. */
const INIT = `
set -e
while [ "$1" != -- ]; do
  case $1 in
    limit) echo 0 > "$2"; shift 2 ;;
    stage) mount -t tmpfs -o size=1m,nr_inodes=1k,mode=700 fleet "$2"; shift 2 ;;
    show) mkdir -p "$3"; mount --rbind "$2" "$3"; shift 3 ;;
    show-file) mkdir -p "\${3%/*}"; : > "$3"; mount --bind "$2" "$3"; shift 3 ;;
    lock) mount -o remount,bind,ro "$2"; shift 2 ;;
    cover) mount --rbind "$2" "$3"; shift 3 ;;
    freeze) mount -o bind,ro "$2" "$2"; shift 2 ;;
  esac
done
cd "$2"
shift 2
"$@"
exit $?
`;

/** How a form of the containment is entered, and what of its powers a program in it does not get. */
interface Form {
  readonly unshare: readonly string[];
  readonly drop: readonly string[];
  /** Where the kernel takes orders from whoever is root: to run a program outside, to end the machine, to leave a group. */
  readonly frozen: readonly string[];
  /** True when the kernel's own limit counts the processes of the namespace, and nobody else's. */
  readonly countsProcesses: boolean;
}

const INNER = ['--mount', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'];

/** Root keeps the powers that programs need to work as root, without those by which a mask is lifted or got around. */
const ROOT_FORM: Form = {
  unshare: INNER,
  drop: [
    'setpriv',
    `--bounding-set=${[
      'sys_admin',
      // Who listens to the network of this machine hears the token.
      'net_admin',
      'net_raw',
      'sys_ptrace',
      'sys_module',
      'sys_rawio',
      'sys_boot',
      'mknod',
      'dac_read_search',
      'bpf',
      'perfmon',
      'checkpoint_restore',
      'syslog',
    ]
      .map((power) => `-${power}`)
      .join(',')}`,
  ],
  frozen: ['/proc/sys', '/proc/sysrq-trigger', '/sys'],
  countsProcesses: false,
};

const USER_FORM: Form = {
  unshare: ['--user', '--map-current-user', '--keep-caps', ...INNER],
  drop: ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all', '--no-new-privs'],
  frozen: [],
  countsProcesses: true,
};

interface Known {
  readonly containment: Containment;
  readonly form: Form | undefined;
}

let known: Known | undefined;

/** What this machine allows: found by doing it, never by version. */
export function containmentLevel(): Containment {
  return probe().containment;
}

/** By what the number of a task's processes is limited; null when it is not. */
export function containmentBound(): 'control group' | 'user namespace' | null {
  const { form } = probe();
  if (form === undefined) return null;
  const probed = `probe-${process.pid}`;
  const group = makeProcessGroup(probed, PROCESS_LIMIT);
  removeProcessGroup(probed);
  if (group !== null) return 'control group';
  return form.countsProcesses ? 'user namespace' : null;
}

/** The command line that runs a program in a directory, inside the containment. */
export function contain(
  command: readonly string[],
  { directory, cell }: { readonly directory: string; readonly cell: Cell | null },
): Wrapped {
  const [file, ...args] = command;
  if (file === undefined) throw new Error('no command to contain');
  const { form } = probe();
  return form === undefined || cell === null ? { file, args } : wrap(form, command, { directory, cell });
}

/** True when the kernel ends all that a program started with it, before its end is told. */
export function endsWhole(cell: Cell | null): boolean {
  return cell !== null && probe().form !== undefined;
}

function wrap(
  form: Form,
  command: readonly string[],
  { directory, cell }: { readonly directory: string; readonly cell: Cell },
): Wrapped {
  const frozen = form.frozen.filter((path) => existsSync(path)).flatMap((path) => ['freeze', path]);
  const init = ['/bin/sh', '-c', INIT, INIT_NAME, ...cellSteps(cell), ...frozen, '--', directory];
  return {
    file: 'setpriv',
    args: [
      '--pdeathsig',
      'KILL',
      'unshare',
      ...form.unshare,
      ...init,
      ...(form.countsProcesses && cell.group === null ? processLimit(cell.processes) : []),
      ...form.drop,
      '--',
      ...command,
    ],
  };
}

/** A limit can be lowered, never raised. */
function processLimit(wanted: number): readonly string[] {
  const [, hard] = /^Max processes\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return ['prlimit', `--nproc=${Math.min(wanted, Number(hard ?? wanted))}`];
}

/** What the init starts on its way to the program. */
const ON_THE_WAY = ['mount', 'mkdir', 'prlimit', 'setpriv'];

/** True for a process of the containment itself, around the program or on the way to it. A program that is only just being
 *  started still is a copy of it. */
export function isAround(pid: number): boolean {
  const words = wordsOf(pid);
  if (words.includes(INIT_NAME)) return true;
  const parent = ON_THE_WAY.includes(basename(words[0] ?? '')) ? readProcStat(pid)?.parent : undefined;
  return parent !== undefined && wordsOf(parent).includes(INIT_NAME);
}

function wordsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

function probe(): Known {
  known ??= probeOnce();
  return known;
}

function probeOnce(): Known {
  if (process.env['FLEET_CONTAINMENT'] === 'marker')
    return markerOnly('FLEET_CONTAINMENT=marker asks for it');
  if (process.platform !== 'linux') return markerOnly(`${process.platform} has no process namespaces`);
  const tries = [ROOT_FORM, USER_FORM].map((form) => ({ form, problem: problemOf(form) }));
  const works = tries.find(({ problem }) => problem === undefined);
  if (works !== undefined) return { containment: { level: 'namespace', reason: null }, form: works.form };
  return markerOnly(`this machine does not allow it (${tries.at(-1)?.problem ?? ''})`);
}

/** Hides a directory with a file in it, and looks whether it is hidden. */
function problemOf(form: Form): string | undefined {
  const hidden = mkdtempSync(join(temporaryDirectory(), 'fleet-probe-'));
  try {
    writeFileSync(join(hidden, 'file'), '');
    const cell = { ...OPEN_CELL, masks: [{ path: hidden, stage: hidden }] };
    const { file, args } = wrap(form, ['test', '!', '-e', join(hidden, 'file')], { directory: '/', cell });
    const { status, stderr, error } = spawnSync(file, [...args], { encoding: 'utf8' });
    if (status === 0) return undefined;
    return error?.message ?? stderr.trim().split('\n').at(-1) ?? 'no reason given';
  } finally {
    rmSync(hidden, { recursive: true, force: true });
  }
}

function markerOnly(reason: string): Known {
  return { containment: { level: 'marker', reason }, form: undefined };
}
