const LONGEST_MS = 3_600_000;
const SHORTEST_MS = 1_000;
const UNSAID_MS = 60_000;

type Headers = Readonly<Record<string, string | number | undefined>>;

/** Milliseconds to leave a forge alone, when its answer says that too much was asked of it. */
export function pauseOf(status: number, headers: Headers): number | undefined {
  if (status !== 403 && status !== 429 && status !== 503) return undefined;
  const asked = retryAfter(headers['retry-after']) ?? untilReset(headers);
  const pause = asked ?? (status === 429 ? UNSAID_MS : undefined);
  return pause === undefined ? undefined : Math.min(Math.max(pause, SHORTEST_MS), LONGEST_MS);
}

/** Seconds, or a date. */
function retryAfter(value: string | number | undefined): number | undefined {
  if (value === undefined) return undefined;
  const ms = Number.isFinite(Number(value)) ? Number(value) * 1000 : Date.parse(String(value)) - Date.now();
  return Number.isNaN(ms) ? undefined : ms;
}

function untilReset(headers: Headers): number | undefined {
  const remaining = headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining'];
  if (String(remaining) !== '0') return undefined;
  const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']);
  return Number.isFinite(reset) ? reset * 1000 - Date.now() : UNSAID_MS;
}
