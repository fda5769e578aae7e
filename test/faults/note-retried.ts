import { appendFileSync } from 'node:fs';

/** Appends to the file FLEET_RETRIED the command that runs what passed only when it was tried again. */
export function noteRetried(command: string): void {
  const file = process.env['FLEET_RETRIED'];
  if (file !== undefined) appendFileSync(file, `${command}\n`);
}
