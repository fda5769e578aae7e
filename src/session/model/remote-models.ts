import { z } from 'zod';
import { FleetError } from '../../domain/values/errors.ts';
import { noModel, refused } from './model-errors.ts';
import { ModelHttp, RefusedByServer } from './model-http.ts';
import type { ModelSettings } from './model-settings.ts';
import type { ModelFacts } from './model.ts';

const HINT = 'Set the address with --url, or session.url in fleet.yaml.';
const SSE = ['text/event-stream'] as const;

const modelList = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });

/** What the two APIs with a key have in common: a list of models, and server-sent events. */
export class RemoteModels {
  readonly #settings: ModelSettings;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #http: ModelHttp;

  constructor(settings: ModelSettings, headers: Readonly<Record<string, string>>) {
    this.#settings = settings;
    this.#headers = headers;
    this.#http = new ModelHttp(settings, HINT);
  }

  /** Where the server is, for messages. */
  get url(): string {
    return this.#http.url;
  }

  get model(): string {
    const { model } = this.#settings;
    if (model !== undefined) return model;
    throw new FleetError(
      'INVALID_INPUT',
      `The provider ${this.#settings.provider} needs the name of a model: use --model, or session.model in fleet.yaml.`,
      { field: 'model' },
    );
  }

  async check(path: string, signal: AbortSignal): Promise<ModelFacts> {
    const { model } = this;
    const models = await this.#list(path, signal);
    // A server without a list, or with an empty one, may have the model all the same.
    if (models.length > 0 && !models.includes(model)) {
      throw noModel(model, { models: models.slice(0, 50), hint: 'Choose one with --model.' });
    }
    return {
      name: model,
      tools: true,
      thinks: false,
      trained_window: null,
      bytes_per_token: null,
      bytes: 0,
      loaded: { main: 0, graphics: 0 },
    };
  }

  async *stream(path: string, body: object, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { url } = this.#http;
    try {
      yield* this.#http.stream({ method: 'POST', path, headers: this.#headers, body, signal }, SSE);
    } catch (thrown) {
      throw thrown instanceof RefusedByServer ? refused(url, thrown, this.#settings.api_key_env) : thrown;
    }
  }

  async #list(path: string, signal: AbortSignal): Promise<readonly string[]> {
    try {
      const answer = await this.#http.json({ method: 'GET', path, headers: this.#headers, signal });
      const parsed = modelList.safeParse(answer);
      return parsed.success ? parsed.data.data.map(({ id }) => id) : [];
    } catch (thrown) {
      if (!(thrown instanceof RefusedByServer)) throw thrown;
      if (thrown.status === 404 || thrown.status === 405) return [];
      throw refused(this.#http.url, thrown, this.#settings.api_key_env);
    }
  }
}
