import type {
  Driver,
  DriverContext,
  DriverSession,
  DriverTask,
  TaskOutcome,
} from '../../../runner/programs/driver.ts';

/** A driver whose agent goes when it has had nothing to do for a while, and comes back with its session for the next
 *  task: in a workspace the runner stays. */
export function restingDriver(driver: Driver, rest_after_ms: number): Driver {
  return {
    kind: driver.kind,
    open: async (context) => {
      const session = new RestingSession(driver, context, rest_after_ms);
      await session.wake();
      return session;
    },
  };
}

class RestingSession implements DriverSession {
  readonly #driver: Driver;
  readonly #context: DriverContext;
  readonly #after: number;
  #awake: Promise<DriverSession> | undefined;
  #resting: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #id: string | null;

  constructor(driver: Driver, context: DriverContext, after: number) {
    this.#driver = driver;
    this.#context = context;
    this.#after = after;
    this.#id = context.session;
  }

  async wake(): Promise<DriverSession> {
    clearTimeout(this.#timer);
    await this.#resting;
    this.#awake ??= this.#open();
    const session = await this.#awake;
    this.#restLater();
    return session;
  }

  async run(task: DriverTask, signal: AbortSignal): Promise<TaskOutcome> {
    const session = await this.wake();
    clearTimeout(this.#timer);
    try {
      return await session.run(task, signal);
    } finally {
      this.#restLater();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    await this.#resting;
    await this.#rest();
  }

  async #open(): Promise<DriverSession> {
    try {
      return await this.#driver.open({ ...this.#context, session: this.#id, sink: this.#sink() });
    } catch (thrown) {
      this.#awake = undefined;
      throw thrown;
    }
  }

  /** Overhears which session it is: the next one goes on with it. */
  #sink(): DriverContext['sink'] {
    const { sink } = this.#context;
    return {
      log: (...entry) => sink.log(...entry),
      progress: () => sink.progress(),
      fact: (fact) => {
        if (fact.kind === 'session.opened') this.#id = fact.session_id;
        sink.fact(fact);
      },
    };
  }

  #restLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#resting = this.#rest()), this.#after);
    this.#timer.unref();
  }

  async #rest(): Promise<void> {
    const awake = this.#awake;
    this.#awake = undefined;
    if (awake === undefined) return;
    // One that cannot be closed well is gone as well.
    await awake.then((session) => session[Symbol.asyncDispose]()).catch(() => {});
  }
}
