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

  put(project: string, forecast: StoredForecast): void {
    this.#store.run('INSERT OR REPLACE INTO forecasts VALUES (?, ?)', project, JSON.stringify(forecast));
  }
}
