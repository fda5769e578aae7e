/** What can be wrong with the disk and the files of a fleet, and what to do about it. */
const STORAGE_PROBLEMS = {
  disk_full: ['The disk is full', 'Free some space there, then try again.'],
  home_read_only: [
    'The file system is read-only',
    'Make it writable again, or set FLEET_HOME to a directory on another one.',
  ],
  no_permission: [
    'This user has no permission',
    'Give it to the user that runs Fleet, or set FLEET_HOME to a directory of your own.',
  ],
  too_many_files: [
    'This process has reached its limit of open files',
    'Raise the limit (ulimit -n), or close some programs, then try again.',
  ],
  home_missing: ['The directory no longer exists', 'Put it back, or restart Fleet.'],
  disk_error: [
    'The disk or its file system failed',
    'Look for the cause in the kernel log (dmesg), then try again.',
  ],
  state_locked: [
    'Another process has it locked',
    'Try again; if that does not help, end the process that has it open.',
  ],
  store_corrupt: ['The store is damaged', 'Try again: it is set aside and rebuilt from the journals.'],
  journal_corrupt: [
    "The agent's journal is damaged",
    'restart_agent saves what can be read of it; delete_agent keeps the work.',
  ],
} as const satisfies Record<string, readonly [string, string]>;

export type StorageReason = keyof typeof STORAGE_PROBLEMS;

const ERRNO: Readonly<Record<string, StorageReason>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EROFS: 'home_read_only',
  EACCES: 'no_permission',
  EPERM: 'no_permission',
  EMFILE: 'too_many_files',
  ENFILE: 'too_many_files',
  EIO: 'disk_error',
};

/** One sentence that names the file, where it is known, and one that says what to do. */
export function storageMessage(reason: StorageReason, file: string | undefined): string {
  const [problem, fix] = STORAGE_PROBLEMS[reason];
  return `${problem}${file === undefined ? '' : `: ${JSON.stringify(file)}`}. ${fix}`;
}

/** Why the system refused something; undefined when it is not about the disk or the files. */
export function reasonOfErrno(thrown: unknown): StorageReason | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  const code = String(thrown.code);
  return Object.hasOwn(ERRNO, code) ? ERRNO[code] : undefined;
}

/** The file that the system names beside its refusal. */
export function fileOfErrno(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'path' in thrown && typeof thrown.path === 'string'
    ? thrown.path
    : undefined;
}

export function isStorageReason(value: unknown): value is StorageReason {
  return typeof value === 'string' && Object.hasOwn(STORAGE_PROBLEMS, value);
}
