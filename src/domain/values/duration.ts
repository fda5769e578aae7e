const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const PATTERN = /^([0-9]{1,12})(ms|s|m|h|d)$/;

/** The longest time that a timer can be set to: a longer one would fire at once. */
export const DURATION_LIMIT_MS = 2_147_483_647;

/** `500ms`, `90s`, `15m`, `2h` or `1d` in milliseconds; undefined when it is none of these, or too long for a timer. */
export function parseDuration(text: string): number | undefined {
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const ms = Number(match[1]) * (UNITS[match[2] ?? ''] ?? Number.NaN);
  return ms <= DURATION_LIMIT_MS ? ms : undefined;
}
