import type { ForgeMemory } from '../../src/forge/forge-memory.ts';

/** What one process remembers of forges. */
export function forgeMemory(): ForgeMemory {
  const answers = new Map<string, { readonly etag: string; readonly data: unknown }>();
  const pauses = new Map<string, number>();
  return {
    answer: (request) => answers.get(request),
    keepAnswer: (request, answer) => void answers.set(request, answer),
    pausedUntil: (host) => pauses.get(host) ?? 0,
    pause: (host, until) => void pauses.set(host, until),
  };
}
