import { setTimeout as delay } from 'node:timers/promises';
import { serveFleet, type ServedFleet } from '../../support/fleets/fleet-process.ts';
import type { Stage } from '../stage.ts';

/** `fleet serve`, started again whenever it was killed. */
export class ChaosServer implements AsyncDisposable {
  readonly #stage: Stage;
  #running: Promise<ServedFleet>;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#running = this.#start();
  }

  async address(): Promise<ServedFleet> {
    return this.#running;
  }

  async killAndStartAgain(): Promise<void> {
    const server = await this.#running;
    await server.kill('SIGKILL');
    await delay(100);
    this.#running = this.#start();
  }

  /** A busy machine may take longer to start one than anybody waits. */
  #start(): Promise<ServedFleet> {
    return serveFleet(this.#stage.env).catch(() => serveFleet(this.#stage.env));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#running).kill('SIGKILL');
  }
}
