import { install } from '../tools/packages.ts';
import { installBubblewrap } from './bubblewrap.ts';
import { SSH_SERVER } from './git-server.ts';

const missing: string[] = [];

/** Before all tests with tools of others. */
export function setup(): void {
  if (!install(SSH_SERVER)) missing.push(SSH_SERVER.name);
  if (installBubblewrap() === undefined) missing.push('bubblewrap');
}

/** What was skipped is said at the end, where it is seen. */
export function teardown(): void {
  if (missing.length > 0) console.error(`\nNot tested, because it could not be had: ${missing.join(', ')}`);
}
