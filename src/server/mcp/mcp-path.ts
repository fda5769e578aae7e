const PATH = /^\/mcp(?:\/([a-z0-9-]+))?(?:\?|$)/;

/** The view in the path of an MCP request; null at /mcp itself, undefined at any other path. */
export function viewIn(path: string): string | null | undefined {
  if (path === '/mcp') return null;
  const found = PATH.exec(path);
  return found === null ? undefined : (found[1] ?? null);
}
