import { execFile } from 'node:child_process';
import { toFleetError } from '../../domain/values/errors.ts';
import { reasonOfErrno } from '../../domain/values/storage-problem.ts';

export interface GitOutput {
  readonly ok: boolean;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitRun {
  /** The whole environment of git. */
  readonly env: NodeJS.ProcessEnv;
  readonly input?: Buffer;
  readonly signal?: AbortSignal;
}

const MOST_OUTPUT = 1024 ** 3;

/** Starts git and waits for its end. What it prints is bytes: names of files need not be text. */
export function runGit(args: readonly string[], { env, input, signal }: GitRun): Promise<GitOutput> {
  const { promise, resolve, reject } = Promise.withResolvers<GitOutput>();
  const child = execFile(
    'git',
    args,
    { env, encoding: 'buffer', maxBuffer: MOST_OUTPUT, ...(signal === undefined ? {} : { signal }) },
    (error, stdout, errors) => {
      // A git that could not be started says nothing of the repository.
      if (reasonOfErrno(error) !== undefined) return reject(toFleetError(error));
      const said = errors.toString();
      resolve({ ok: error === null, stdout, stderr: said === '' && error !== null ? error.message : said });
    },
  );
  // Git may end without reading all of it; how it ended says why.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return promise;
}
