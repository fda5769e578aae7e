import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Timed {
  readonly ms: number;
  readonly stdout: string;
}

/** Times programs from start to exit in a small process of its own: to start one costs more the more memory the starter
 *  has, which would be added to both sides and make every ratio look better than it is. */
export class Timer implements Disposable {
  readonly #child: ChildProcess = fork(fileURLToPath(new URL('./timer-child.mjs', import.meta.url)));

  async run(command: Command): Promise<Timed> {
    this.#child.send(command);
    const [answer] = (await once(this.#child, 'message')) as [
      Timed & { status: number | null; said: string },
    ];
    if (answer.status === 0) return answer;
    throw new Error(`${command.file} ${command.args.join(' ')} ended with ${answer.status}: ${answer.said}`);
  }

  async ms(file: string, ...args: readonly string[]): Promise<number> {
    return (await this.run({ file, args })).ms;
  }

  [Symbol.dispose](): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
