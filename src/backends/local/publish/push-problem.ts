export type PushFailure = 'login' | 'moved' | 'protected' | 'rejected' | 'unreachable';

export interface PushProblem {
  readonly kind: PushFailure;
  /** What the remote or git said, in one line without a login. */
  readonly said: string;
}

/** Git has no codes: these are its messages in the C locale, and those of GitHub, GitLab and Gitea. The first match
 *  counts. */
const KINDS: readonly (readonly [kind: PushFailure, pattern: RegExp])[] = [
  ['moved', /\((?:stale info|fetch first|non-fast-forward|cannot lock ref|failed to update ref)/],
  [
    'protected',
    /protected branch|protected from|GH006|GH013|repository rule violations|not allowed to (?:force )?push|deny (?:updating|non-fast-forward)/i,
  ],
  ['rejected', /^!\t.*\[(?:remote )?(?:rejected|failure)\]/m],
  [
    'login',
    /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|Permission denied|Host key verification failed|returned error: 40[13]|HTTP 40[13]|Access denied|Permission to .* denied|Invalid username or|not authorized|unauthorized/i,
  ],
];

/** Why a push, or a look at the remote, failed. */
export function pushProblem(stdout: string, stderr: string): PushProblem {
  const text = `${stdout}\n${stderr}`;
  const kind = KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'unreachable';
  return { kind, said: saidBy(stdout, stderr) };
}

const MOST_SAID = 400;

/** The lines of the remote, else why git refused, else its last error. */
function saidBy(stdout: string, stderr: string): string {
  const remote = [...stderr.matchAll(/^remote: ?(.*)$/gm)]
    .map(([, line = '']) => line.trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
  const refused = /^!\t.*\t\[.*?\] ?\((.*)\)$/m.exec(stdout)?.[1];
  const errors = stderr
    .split('\n')
    .filter((line) => /^(?:fatal|error): /.test(line) && !/failed to push some refs/.test(line));
  const last = errors.at(-1) ?? stderr.trim().split('\n').at(-1) ?? '';
  const said = remote.length > 0 ? remote.join(' ') : (refused ?? last.replace(/^(?:fatal|error): /, ''));
  const short = said.length > MOST_SAID ? `${said.slice(0, MOST_SAID - 1)}…` : said;
  return short.replaceAll(/:\/\/[^/\s@']*@/g, '://');
}
