const UNITS: Readonly<Record<string, number>> = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** `64KB`, `512MB` or `2GB` in bytes; undefined when it is none of these. */
export function parseByteSize(text: string): number | undefined {
  const [, number, unit] = /^([0-9]{1,9})(KB|MB|GB)$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * (UNITS[unit ?? ''] ?? Number.NaN);
}
