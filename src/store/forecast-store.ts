import type { Forecast } from '../domain/merge/forecast.ts';
import type { Store } from './store.ts';

/** A forecast with what it was made from: the same commits and checks give the same one. */
export interface StoredForecast {
  readonly key: string;
  readonly forecast: Forecast;
  /** The process that runs its checks, as `identify` gives it; null when none does. */
  readonly process: unknown;
  /** What that process needs. */
  readonly job: object | null;
}

/** The newest forecast of each project. */
export class ForecastStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  get(project: string): StoredForecast | undefined {
    const row = this.#store.get('SELECT data FROM forecasts WHERE project = ?', project);
    // Written by this class alone.
    return row === undefined ? undefined : (JSON.parse(String(row['data'])) as StoredForecast);
  }

  /** Gives a running forecast to another process. Does nothing when it is no longer `from`'s. */
  handOver(project: string, from: unknown, to: unknown): void {
    this.#store.transaction(() => {
      const stored = this.get(project);
      if (stored === undefined || JSON.stringify(stored.process) !== JSON.stringify(from)) return;
      this.put(project, { ...stored, process: to });
    }, true);
  }

  put(project: string, forecast: StoredForecast): void {
    this.#store.run('INSERT OR REPLACE INTO forecasts VALUES (?, ?)', project, JSON.stringify(forecast));
  }
}
