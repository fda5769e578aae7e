import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { shellWord } from '../../src/domain/values/text.ts';
import { findProgram } from '../../src/platform/processes/find-program.ts';
import { FLEET } from '../support/fleets/fleet-process.ts';
import { until } from '../support/fleets/fleet-under-test.ts';

/** The program that gives a command a terminal; undefined where it is not installed. */
export const SCRIPT = findProgram('script', process.env['PATH']);

/** `fleet chat`, or another command, at a terminal of its own. */
export class ChatTerminal implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<unknown>;
  screen = '';
  /** Everything that was ever printed. */
  all = '';

  constructor(columns: number, env: NodeJS.ProcessEnv, args: readonly string[] = ['chat']) {
    const fleet = [process.execPath, FLEET, ...args].map(shellWord).join(' ');
    const command = `stty cols ${columns} rows 24; exec ${fleet}`;
    this.#child = spawn(SCRIPT ?? '', ['-qefc', command, '/dev/null'], {
      env: { ...env, TERM: 'xterm', SHELL: '/bin/sh' },
      stdio: 'pipe',
    });
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.screen += chunk.toString();
      this.all += chunk.toString();
    });
    this.ended = once(this.#child, 'close');
  }

  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** Waits until a text is on the screen that was not there before. */
  async sees(text: string): Promise<void> {
    await until(
      async () => this.screen,
      (screen) => screen.includes(text),
    );
    this.screen = this.screen.slice(this.screen.indexOf(text) + text.length);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}
