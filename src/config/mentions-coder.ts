import { readFileSync } from 'node:fs';
import { findConfig, type ConfigSearch } from './find-config.ts';

/** True when the configuration may use a Coder server. Reading it whole takes libraries that most looks can do without. */
export function mentionsCoder(search: ConfigSearch): boolean {
  try {
    const found = findConfig(search);
    return (
      found !== undefined &&
      /["']?(backend|type)["']?\s*:\s*["']?coder\b/i.test(readFileSync(found.path, 'utf8'))
    );
  } catch {
    // Whoever needs the configuration is told what is wrong with it.
    return false;
  }
}
