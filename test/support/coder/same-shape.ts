/** Where an answer of the stand-in has something that the real one has not, or of another type. Less is allowed: the
 *  stand-in has only what Fleet reads. */
export function shapeProblems(ours: unknown, real: unknown, path = 'answer'): readonly string[] {
  // A real answer had nothing there, or the stand-in does: that says nothing of the type.
  if (real === null || real === undefined || ours === null || ours === undefined) return [];
  if (typeOf(ours) !== typeOf(real)) return [`${path} is ${typeOf(ours)} and not ${typeOf(real)}`];
  if (Array.isArray(ours) && Array.isArray(real)) {
    const [first] = real;
    return first === undefined
      ? []
      : ours.flatMap((item, index) => shapeProblems(item, first, `${path}[${index}]`));
  }
  if (!isRecord(ours) || !isRecord(real)) return [];
  return Object.entries(ours).flatMap(([key, value]) =>
    key in real || OFTEN_LEFT_OUT.has(key)
      ? shapeProblems(value, real[key], `${path}.${key}`)
      : [`${path}.${key} is not in the real answer`],
  );
}

/** Real answers leave these out when they are empty. */
const OFTEN_LEFT_OUT = new Set([
  'error',
  'validations',
  'disconnected_at',
  'first_connected_at',
  'ready_at',
  'metadata',
  'latest_app_status',
  'environment_variables',
]);

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : typeof value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
