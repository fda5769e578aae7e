import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, delimiter } from 'node:path';
import { readProcStat } from './proc-stat.ts';
import { cellSteps, OPEN_CELL, type Cell } from './cell.ts';
import { CONTAINMENT_INIT } from './containment-init.ts';
import { findProgram } from './find-program.ts';
import { withLinks } from './with-links.ts';
import { makeProcessGroup, PROCESS_LIMIT, removeProcessGroup } from './process-group.ts';

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

/** How a form of the containment is entered, and what of its powers a program in it does not get. */
interface Form {
  readonly unshare: readonly string[];
  readonly drop: readonly string[];
  /** Where the kernel takes orders from root: to run a program outside, to end the machine, to leave a group. */
  readonly frozen: readonly string[];
  /** True when limits of the kernel count the processes and namespaces of the namespace, and nobody else's. */
  readonly countsOwn: boolean;
}

const INNER = ['--mount', '--ipc', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'];

/** Root keeps the powers that programs need to work as root, without those by which a mask is lifted or got around. */
const ROOT_FORM: Form = {
  unshare: INNER,
  drop: [
    `--bounding-set=${[
      'sys_admin',
      // A program that captures the network traffic of this machine sees the token.
      'net_admin',
      'net_raw',
      'sys_ptrace',
      'sys_module',
      'sys_rawio',
      'sys_boot',
      'mknod',
      'dac_read_search',
      // A file that nobody can remove would keep its agent from being deleted.
      'linux_immutable',
      'bpf',
      'perfmon',
      'checkpoint_restore',
      'syslog',
      // The clock, the records and the rules of the machine are those of everybody.
      'sys_time',
      'sys_pacct',
      'sys_tty_config',
      'mac_admin',
      'mac_override',
      'audit_control',
      'audit_read',
      'wake_alarm',
      'block_suspend',
    ]
      .map((power) => `-${power}`)
      .join(',')}`,
  ],
  frozen: [
    '/proc/sys',
    '/proc/sysrq-trigger',
    '/proc/acpi',
    '/proc/bus',
    '/proc/fs',
    '/proc/irq',
    '/proc/scsi',
    '/sys',
  ],
  countsOwn: false,
};

const USER_FORM: Form = {
  unshare: ['--user', '--map-current-user', '--keep-caps', ...INNER],
  drop: ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all', '--no-new-privs'],
  frozen: [],
  countsOwn: true,
};

const FORMS = { root: ROOT_FORM, user: USER_FORM } as const;

/** Names the form that the process which started this one found to work: a sandbox is not tried out twice in a row. */
const FORM_VARIABLE = 'FLEET_CONTAINMENT_FORM';

interface Known {
  readonly containment: Containment;
  readonly form: Form | undefined;
}

let known: Known | undefined;

/** What this machine allows: found by doing it, never by version. */
export function containmentLevel(): Containment {
  return probe().containment;
}

/** For the environment of a runner: the form that this process has found to work. Empty before it has looked. */
export function knownForm(): Readonly<Record<string, string>> {
  const found = Object.entries(FORMS).find(([, form]) => form === known?.form);
  return found === undefined ? {} : { [FORM_VARIABLE]: found[0] };
}

/** Whether a program of a role sees a world of its own: where the machine allows it, and the role does not give it up. */
export function isSandboxed(contained: boolean): boolean {
  return contained && probe().form !== undefined;
}

/** By what the number of a task's processes is limited; null when it is not. */
export function containmentBound(): 'control group' | 'user namespace' | null {
  const { form } = probe();
  if (form === undefined) return null;
  const probed = `probe-${process.pid}`;
  const group = makeProcessGroup(probed, PROCESS_LIMIT);
  removeProcessGroup(probed);
  if (group !== null) return 'control group';
  return form.countsOwn ? 'user namespace' : null;
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
  const frozen = form.frozen.filter((path) => existsSync(path)).join(' ');
  // In a group namespace of its own a program could write to the control groups that its user owns.
  const bounds = form.countsOwn ? ['no-groups'] : [];
  const entry = cell.world === null ? [] : [...(frozen === '' ? [] : ['freeze', frozen]), 'enter'];
  const steps = [...bounds, ...cellSteps(cell), ...entry];
  const init = ['/bin/sh', '-c', CONTAINMENT_INIT, INIT_NAME, toolPath(), ...steps, '--', directory];
  return {
    file: tool('setpriv'),
    args: [
      '--pdeathsig',
      'KILL',
      tool('unshare'),
      ...form.unshare,
      ...(cell.network ? [] : ['--net']),
      ...init,
      ...(form.countsOwn && cell.group === null ? processLimit(cell.processes) : []),
      tool('setpriv'),
      ...form.drop,
      '--',
      ...withLinks(INIT_NAME, cell.links, command),
    ],
  };
}

/** Where this process finds the programs of the system. */
function toolPath(): string {
  return [process.env['PATH'] ?? '/usr/bin:/bin', '/usr/sbin', '/sbin'].join(delimiter);
}

function tool(name: string): string {
  return findProgram(name, toolPath()) ?? name;
}

/** A limit can be lowered, never raised. */
function processLimit(wanted: number): readonly string[] {
  const [, hard] = /^Max processes\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return [tool('prlimit'), `--nproc=${Math.min(wanted, Number(hard ?? wanted))}`];
}

/** What the init starts on its way to the program. */
const ON_THE_WAY = ['mount', 'mountpoint', 'umount', 'pivot_root', 'mkdir', 'ln', 'prlimit', 'setpriv'];

/** True for a process of the containment itself, around the program or on the way to it. A program that is only just being
 *  started still is a copy of it, and what has ended has no words at all. */
export function isAround(pid: number): boolean {
  const words = wordsOf(pid);
  if (words.every((word) => word === '') || words.includes(INIT_NAME)) return true;
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
  const given = process.env[FORM_VARIABLE];
  if (given === 'root' || given === 'user') return inNamespace(FORMS[given]);
  let problem = '';
  for (const form of Object.values(FORMS)) {
    const found = problemOf(form);
    if (found === undefined) return inNamespace(form);
    problem = found;
  }
  return markerOnly(`this machine does not allow it (${problem})`);
}

function inNamespace(form: Form): Known {
  return { containment: { level: 'namespace', reason: null }, form };
}

/** Makes a world from directories of the system alone, and looks whether it is as it should be: no agent can be in the
 *  way of that. */
function problemOf(form: Form): string | undefined {
  const cell = {
    ...OPEN_CELL,
    world: { root: '/sys/fs', scratch: '/sys/kernel', shown: [], hidden: ['/run'], replaced: [] },
  };
  const looks = `
    set -- /run/*
    if test -e "$1" || (: > /run/fleet) 2> /dev/null; then exit 1; fi
    while read -r _ _ _ _ point options _; do
      case "$point $options" in '/ ro' | '/ ro,'*) exit 0 ;; esac
    done < /proc/self/mountinfo
    echo 'the file system stayed writable' >&2
    exit 1`;
  const { file, args } = wrap({ ...form, frozen: [] }, ['sh', '-c', looks], { directory: '/', cell });
  const { status, stderr, error } = spawnSync(file, [...args], { encoding: 'utf8' });
  if (status === 0) return undefined;
  return error?.message ?? stderr.trim().split('\n').at(-1) ?? 'no reason given';
}

function markerOnly(reason: string): Known {
  return { containment: { level: 'marker', reason }, form: undefined };
}
