export interface Expanded {
  readonly text: string;
  /** Variables that are not set; they stay in the text as they were written. */
  readonly missing: readonly string[];
  /** A `${…}` that names no variable, as it was written. */
  readonly malformed: string | undefined;
}

const REFERENCE = /\$\$\{|\$\{([^{}]*)\}|\$\{/g;
const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/** Fills in `${NAME}` and `${NAME:-default}`; `$${` is a literal `${`. */
export function expandVariables(text: string, env: NodeJS.ProcessEnv): Expanded {
  const missing: string[] = [];
  let malformed: string | undefined;
  const expanded = text.replace(REFERENCE, (whole, inner: string | undefined) => {
    if (whole === '$${') return '${';
    const match = VARIABLE.exec(inner ?? '');
    if (match === null) {
      malformed ??= whole;
      return whole;
    }
    const [, name = '', fallback] = match;
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (fallback !== undefined) return value === undefined || value === '' ? fallback : value;
    if (value !== undefined) return value;
    missing.push(name);
    return whole;
  });
  return { text: expanded, missing, malformed };
}
