import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { cut, oneLine } from '../domain/text.ts';
import { RUN_MARKER } from '../platform/containment.ts';
import { findRun, signalRun, sweepRun } from '../platform/process-tree.ts';
import type { Channel } from './channel.ts';
import { isRpcMessage, type RpcMessage } from './json-rpc.ts';
import type { Redact } from './secrets.ts';

/** A line longer than this is no answer that anybody could use. */
const LINE_LIMIT = 16 * 1024 * 1024;
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
export class StdioChannel implements Channel {
  readonly cancelsByStream = false;
  deliver: Channel['deliver'] = () => {};
  ended: Channel['ended'] = () => {};
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #program: ProgramToStart;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #unsent = '';
  #turn: NodeJS.Immediate | undefined;
  #said = 0;
  /** True when several messages were said in the last turn. */
  #crowded = false;
  #errors = '';
  #reason: string | undefined;
  #over = false;

  constructor(program: ProgramToStart) {
    const { file, args, cwd, env, marker } = program;
    this.#program = program;
    this.#child = spawn(file, [...args], {
      cwd,
      env: { ...env, [RUN_MARKER]: marker },
      stdio: 'pipe',
      detached: true,
    });
    const child = this.#child;
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString('utf8')).slice(-ERROR_TAIL);
    });
    // A program that reads no more has ended, or is about to.
    child.stdin.on('error', () => {});
    child.once('error', (error) => this.#end(`it could not be started: ${error.message}`));
    child.once('exit', (code, signal) =>
      this.#end(
        `its program ended ${signal ?? `with exit code ${code}`}`,
        ' (run its command by hand to see why)',
      ),
    );
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async send(message: RpcMessage): Promise<void> {
    if (this.#over) throw new Error(this.#reason ?? 'its program has ended');
    this.#unsent += `${JSON.stringify(message)}\n`;
    this.#said += 1;
    if (this.#turn !== undefined) return;
    // What is said in one turn goes in one piece: writing costs more than what is written. One alone does not wait.
    if (!this.#crowded) this.#flush();
    this.#turn = setImmediate(() => this.#endTurn());
  }

  /** Asks by ending stdin, then by SIGTERM, then ends all that the program left. */
  async close(): Promise<void> {
    const { marker } = this.#program;
    this.#flush();
    this.#over = true;
    this.#child.stdin.end();
    if (!(await this.#gone(POLITE_MS))) {
      signalRun(marker, 'SIGTERM');
      await this.#gone(TERM_MS);
    }
    await sweepRun(marker);
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  #endTurn(): void {
    this.#turn = undefined;
    this.#crowded = this.#said > 1;
    this.#said = 0;
    this.#flush();
  }

  #flush(): void {
    if (this.#unsent !== '' && this.#child.stdin.writable) this.#child.stdin.write(this.#unsent);
    this.#unsent = '';
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

  #read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#line(this.#take(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start === chunk.length) return;
    this.#held.push(chunk.subarray(start));
    this.#heldBytes += chunk.length - start;
    if (this.#heldBytes > LINE_LIMIT) this.#refuse(`it printed a line of more than ${LINE_LIMIT} bytes`);
  }

  #take(end: Buffer): string {
    if (this.#held.length === 0) return end.toString('utf8');
    const whole = Buffer.concat([...this.#held, end]);
    this.#held = [];
    this.#heldBytes = 0;
    return whole.toString('utf8');
  }

  /** What is no message is noise: many programs greet on stdout. */
  #line(text: string): void {
    if (this.#over || text === '') return;
    let message: unknown;
    try {
      message = JSON.parse(this.#program.redact(text));
    } catch {
      return;
    }
    if (isRpcMessage(message)) this.deliver(message);
  }

  #refuse(reason: string): void {
    this.#held = [];
    this.#heldBytes = 0;
    this.#child.stdout.destroy();
    this.#end(reason);
  }

  /** The hint is for a program that did not say why itself. */
  #end(why: string, hint = ''): void {
    if (this.#reason !== undefined) return;
    const errors = oneLine(this.#program.redact(this.#errors));
    this.#reason = errors === '' ? why + hint : `${why}; it said: ${cut(errors, 500)}`;
    const asked = this.#over;
    this.#over = true;
    this.ended(asked ? undefined : this.#reason);
  }
}
