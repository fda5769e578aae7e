import { setTimeout as delay } from 'node:timers/promises';
import { serveFleet, type ServedFleet } from '../../support/fleet-process.ts';
import type { Stage } from '../stage.ts';

/** `fleet serve`, started again whenever it was killed. */
export class ChaosServer implements AsyncDisposable {
  readonly #stage: Stage;
  #running: Promise<ServedFleet>;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#running = serveFleet(stage.env);
  }

  async address(): Promise<ServedFleet> {
    return this.#running;
  }

  async killAndStartAgain(): Promise<void> {
    const server = await this.#running;
    await server.kill('SIGKILL');
    await delay(100);
    this.#running = serveFleet(this.#stage.env);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#running).kill('SIGKILL');
  }
}
