import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The version of what the operations take and return. */
export const CONTRACT_VERSION = '1.0.0';

export function packageVersion(): string {
  const parsed: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const known =
    typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : undefined;
  return typeof known === 'string' ? known : 'unknown';
}

/** The file that starts this command, for whoever has to start it again. */
export function launcherPath(): string {
  return fileURLToPath(new URL('../../bin/fleet.js', import.meta.url));
}
