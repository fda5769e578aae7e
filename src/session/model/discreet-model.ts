import { FleetError } from '../../domain/values/errors.ts';
import { makeRedact, type Redact } from '../../domain/values/redact.ts';
import type { ModelSettings } from './model-settings.ts';
import type { Model, ModelEvent, ModelFacts, ModelRequest, PullProgress } from './model.ts';

/** A model whose errors never show a secret: some servers repeat the key that they refuse. */
export class DiscreetModel implements Model {
  readonly url: string;
  readonly pull?: (signal: AbortSignal) => AsyncIterable<PullProgress>;
  readonly #model: Model;
  readonly #redact: Redact;

  constructor(model: Model, settings: ModelSettings) {
    this.url = model.url;
    this.#model = model;
    this.#redact = makeRedact(secretsOf(settings));
    if (model.pull !== undefined) this.pull = (signal) => this.#each(model.pull?.(signal) ?? nothing());
  }

  async check(signal: AbortSignal): Promise<ModelFacts> {
    try {
      return await this.#model.check(signal);
    } catch (thrown) {
      throw this.#discreet(thrown);
    }
  }

  answer(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    return this.#each(this.#model.answer(request, signal));
  }

  async *#each<Value>(values: AsyncIterable<Value>): AsyncGenerator<Value> {
    try {
      yield* values;
    } catch (thrown) {
      throw this.#discreet(thrown);
    }
  }

  #discreet(thrown: unknown): unknown {
    if (!(thrown instanceof FleetError)) return thrown;
    const { code, message, details } = thrown;
    const hidden = this.#redact(message);
    // The cause has the same text.
    return hidden === message ? thrown : new FleetError(code, hidden, details);
  }
}

/** The key, and a password in the address, also as it is sent. */
function secretsOf({ api_key, url }: ModelSettings): readonly string[] {
  const { username, password } = new URL(url);
  const [name, word] = [decoded(username), decoded(password)];
  return [api_key ?? '', word, password, Buffer.from(`${name}:${word}`).toString('base64')];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function* nothing(): AsyncGenerator<never> {}
