import { readFileSync } from 'node:fs';
import { findConfig, type ConfigSearch } from './find-config.ts';

/** True when the configuration may use a backend of a kind. Parsing it takes libraries that most commands do not need. */
export function mentionsBackend(kind: string, search: ConfigSearch): boolean {
  try {
    const found = findConfig(search);
    const mention = new RegExp(`["']?(backend|type)["']?\\s*:\\s*["']?${kind}\\b`, 'i');
    return found !== undefined && mention.test(readFileSync(found.path, 'utf8'));
  } catch {
    // Commands that need the configuration report what is wrong with it.
    return false;
  }
}
