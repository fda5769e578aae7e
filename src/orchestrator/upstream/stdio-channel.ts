import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { cut, oneLine } from '../../domain/values/text.ts';
import { RUN_MARKER } from '../../platform/processes/containment.ts';
import { findRun, signalRun, sweepRun } from '../../platform/processes/process-tree.ts';
import { StreamChannel } from '../../wire/stream-channel.ts';
import type { Redact } from '../../domain/values/redact.ts';

const ERROR_TAIL = 2_000;
const POLITE_MS = 1_000;
const TERM_MS = 1_500;
const LOOK_MS = 20;

export interface ProgramToStart {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** All that the program starts is found by this. */
  readonly marker: string;
  readonly redact: Redact;
}

/** A program that speaks MCP on its stdin and stdout, in a process group of its own. */
export class StdioChannel extends StreamChannel {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #program: ProgramToStart;
  #errors = '';

  constructor(program: ProgramToStart) {
    const { file, args, cwd, env, marker, redact } = program;
    const child = spawn(file, [...args], {
      cwd,
      env: { ...env, [RUN_MARKER]: marker },
      stdio: 'pipe',
      detached: true,
    });
    super({ input: child.stdout, output: child.stdin, clean: redact });
    this.#program = program;
    this.#child = child;
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString('utf8')).slice(-ERROR_TAIL);
    });
    child.once('error', (error) => this.#exited(`it could not be started: ${error.message}`));
    child.once('exit', (code, signal) =>
      this.#exited(
        `its program ended ${signal ?? `with exit code ${code}`}`,
        ' (run its command by hand to see why)',
      ),
    );
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Asks by ending stdin, then by SIGTERM, then ends all that the program left. */
  override async close(): Promise<void> {
    const { marker } = this.#program;
    await super.close();
    if (!(await this.#gone(POLITE_MS))) {
      signalRun(marker, 'SIGTERM');
      await this.#gone(TERM_MS);
    }
    await sweepRun(marker);
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  async #gone(limit_ms: number): Promise<boolean> {
    const { exitCode, signalCode, pid } = this.#child;
    if (pid === undefined) return true;
    if (exitCode === null && signalCode === null) {
      const exited = once(this.#child, 'exit').then(() => true);
      if (!(await Promise.race([exited, delay(limit_ms, false, { ref: false })]))) return false;
    }
    // Its children get the rest of a moment to end by themselves.
    for (let waited = 0; waited < limit_ms / 5; waited += LOOK_MS) {
      if (findRun(this.#program.marker).length === 0) return true;
      await delay(LOOK_MS);
    }
    return false;
  }

  /** The hint is for a program that did not say why itself. */
  #exited(why: string, hint = ''): void {
    const errors = oneLine(this.#program.redact(this.#errors));
    this.end(errors === '' ? why + hint : `${why}; it said: ${cut(errors, 500)}`);
  }
}
