import { CONFORMANCE, install, packagesCache, PUBLIC_SERVERS } from './packages.ts';
import { installPython, PYTHON_PACKAGES } from './python.ts';

let missing: readonly string[] = [];

/** Before all tests with packages of others. */
export function setup(): void {
  const wanted = [CONFORMANCE, ...Object.values(PUBLIC_SERVERS)];
  const absent = wanted.filter((each) => !install(each)).map(({ name, version }) => `${name}@${version}`);
  missing = installPython() ? absent : [...absent, ...PYTHON_PACKAGES];
}

/** What was skipped is said at the end, where it is seen. */
export function teardown(): void {
  if (missing.length === 0) return;
  console.error(
    `\nNot tested, because it could not be brought into ${packagesCache()}: ${missing.join(', ')}`,
  );
}
