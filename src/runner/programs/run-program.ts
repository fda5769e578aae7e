import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { endsWhole, isAround } from '../../platform/processes/containment.ts';
import { removeProcessGroup } from '../../platform/processes/process-group.ts';
import { findRun, signalRun, sweepRun } from '../../platform/processes/process-tree.ts';
import { stepOf } from './interruption.ts';
import { LineSplitter } from './lines.ts';
import { startProgram, type ProgramStart } from './start-program.ts';

export interface Program extends ProgramStart {
  readonly stdin: string;
  onOutput(line: string): void;
  onError(line: string): void;
}

export type Exit =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'not_started'; readonly message: string };

/** Runs a program inside the containment until it and all that it started are gone. Aborting interrupts it: SIGINT to
 *  the whole tree, then SIGTERM, then SIGKILL. */
export async function runProgram(program: Program, signal: AbortSignal): Promise<Exit> {
  const child = startProgram(program);
  const ladder = climbLadder(program, signal);
  try {
    return await ending(child, program);
  } finally {
    ladder.stop();
  }
}

/** Waits until the program itself is gone and all that it printed has been read. */
async function ending(child: ChildProcess, program: Program): Promise<Exit> {
  const output = new LineSplitter(program.onOutput);
  const errors = new LineSplitter(program.onError);
  child.stdout?.on('data', (chunk: Buffer) => output.write(chunk));
  child.stderr?.on('data', (chunk: Buffer) => errors.write(chunk));
  // A program that does not read its input closes the pipe early; that is its right.
  child.stdin?.on('error', () => {});
  child.stdin?.end(program.stdin);
  const closed = once(child, 'close');
  try {
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    // Whatever the program left behind may hold its pipes open: it goes first, then the pipes close. Looking for it reads
    // every process of the machine.
    if (code !== null && endsWhole(program.cell)) removeProcessGroup(program.marker);
    else await sweepRun(program.marker);
    await closed;
    return code === null ? { kind: 'killed', signal: killedBy ?? 'a signal' } : { kind: 'exited', code };
  } catch (thrown) {
    closed.catch(() => {});
    await sweepRun(program.marker);
    return { kind: 'not_started', message: thrown instanceof Error ? thrown.message : String(thrown) };
  } finally {
    output.end();
    errors.end();
  }
}

const TELL_AGAIN_MS = 50;

/** SIGINT to the whole tree, then SIGTERM, then SIGKILL, a step apart. */
function climbLadder({ marker }: Program, signal: AbortSignal): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const climb = ([step, ...rest]: NodeJS.Signals[]): void => {
    if (step === undefined) return;
    const until = performance.now() + stepOf(signal);
    const tell = (): void => {
      // A task that has only just begun may have no program yet, and what is around it does not pass a signal on. Once
      // the program has received it, it is left alone: what it starts then is its way of ending.
      const heard = findRun(marker).some((pid) => !isAround(pid));
      signalRun(marker, step);
      const next = heard ? until : Math.min(until, performance.now() + TELL_AGAIN_MS);
      timer = setTimeout(next < until ? tell : () => climb(rest), Math.max(0, next - performance.now()));
    };
    tell();
  };
  const begin = (): void => climb(['SIGINT', 'SIGTERM', 'SIGKILL']);
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  return {
    stop: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', begin);
    },
  };
}
