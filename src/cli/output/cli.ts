import { Output } from './output.ts';

/** Why a command that runs until it is stopped has ended. */
export interface Stop {
  readonly exitCode: number;
}

const INTERRUPTED: Stop = { exitCode: 130 };
const OUTPUT_CLOSED: Stop = { exitCode: 0 };
const STOP_LIMIT_MS = 2_000;

/** What a command has of the world outside: its environment, its streams, and the wish to stop. */
export class Cli {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadStream;
  readonly out: Output;
  readonly err: Output;
  /** The file of `--config`. */
  config: string | undefined;
  /** Errors are printed as JSON on stdout. */
  json = false;
  /** For a command that has done its work and still must not succeed. */
  exitCode = 0;
  stopped: Stop | undefined;
  readonly #stop = new AbortController();
  #listening = false;

  constructor(
    world: {
      readonly env?: NodeJS.ProcessEnv;
      readonly cwd?: string;
      readonly stdin?: NodeJS.ReadStream;
      readonly stdout?: NodeJS.WritableStream;
      readonly stderr?: NodeJS.WritableStream;
    } = {},
  ) {
    this.env = world.env ?? process.env;
    this.cwd = world.cwd ?? process.cwd();
    this.stdin = world.stdin ?? process.stdin;
    this.out = new Output(world.stdout ?? process.stdout, this.env, (error) => this.#outputFailed(error));
    this.err = new Output(world.stderr ?? process.stderr, this.env, () => {});
  }

  get insideAgent(): boolean {
    return (this.env['FLEET_SELF_SOCKET'] ?? '') !== '';
  }

  /** For commands that wait or follow: aborted by Ctrl-C, and when nobody reads stdout any more. */
  untilStopped(): AbortSignal {
    if (!this.#listening) {
      this.#listening = true;
      // A launcher passes Ctrl-C on that the terminal has sent here already: the second one must do nothing.
      process.on('SIGINT', () => this.#end(INTERRUPTED));
    }
    return this.#stop.signal;
  }

  /** The reader of our output may stop at any time; an output that is lost for another reason is a failure. */
  #outputFailed(error: NodeJS.ErrnoException): void {
    if (error.code === 'EPIPE') return this.#listening ? this.#end(OUTPUT_CLOSED) : undefined;
    this.err.line(`fleet: the output could not be written: ${error.message}`);
    this.exitCode = 1;
    process.exitCode = 1;
  }

  #end(stop: Stop): void {
    if (this.stopped !== undefined) return;
    this.stopped = stop;
    this.#stop.abort();
    setTimeout(() => process.exit(stop.exitCode), STOP_LIMIT_MS).unref();
  }
}
