import { createHash } from 'node:crypto';

/** Projects and roles of a file have no ids of their own: these are made from their names and stay. */
export function projectIdOf(project: string): string {
  return idOf(['project', project.toLowerCase()]);
}

export function roleIdOf(project: string, role: string): string {
  return idOf(['role', project.toLowerCase(), role.toLowerCase()]);
}

function idOf(parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}
