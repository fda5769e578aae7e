// Completes package-lock.json with the optional packages of other platforms that npm left out because the registry at
// hand did not have them: `npm ci` refuses a lock without them. Run it after a change of dependencies.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, '..', 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));
let added = 0;
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    if (path in lock.packages || !/^\d/.test(version)) continue;
    lock.packages[path] = {
      version,
      ...platformOf(name),
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
    };
    added++;
  }
}
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, 'en')),
);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} packages added to the lock`);

/** Such packages are named after the platform that they are for. */
function platformOf(name) {
  const words = name.split('/').at(-1).split('-');
  const os = words.filter((word) =>
    [
      'android',
      'darwin',
      'freebsd',
      'linux',
      'openharmony',
      'win32',
      'netbsd',
      'openbsd',
      'sunos',
      'aix',
    ].includes(word),
  );
  const cpu = words.filter((word) =>
    ['arm', 'arm64', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'wasm32'].includes(
      word,
    ),
  );
  const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') ? ['glibc'] : [];
  return {
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(libc.length > 0 ? { libc } : {}),
    ...(os.length > 0 ? { os } : {}),
  };
}
