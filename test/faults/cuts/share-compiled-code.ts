import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The processes of all stages share their compiled code: each has a home of its own, where it would be lost. */
export function shareCompiledCode(): void {
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'fleet-test-compile-cache');
}
