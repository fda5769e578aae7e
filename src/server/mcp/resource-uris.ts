export const AGENTS_URI = 'fleet://agents';
export const AGENT_URI_TEMPLATE = 'fleet://agents/{name}';
export const AGENT_LOG_URI_TEMPLATE = 'fleet://agents/{name}/log';

export function agentUri(name: string): string {
  return `${AGENTS_URI}/${encodeURIComponent(name)}`;
}

export function agentLogUri(name: string): string {
  return `${agentUri(name)}/log`;
}

export type ResourceAddress =
  | { readonly kind: 'agents' }
  | { readonly kind: 'agent' | 'log'; readonly name: string };

/** What a URI names; undefined for one that is not the fleet's. */
export function parseResourceUri(uri: string): ResourceAddress | undefined {
  if (uri === AGENTS_URI) return { kind: 'agents' };
  const [, encoded, log] = /^fleet:\/\/agents\/([^/?#]+)(\/log)?$/.exec(uri) ?? [];
  if (encoded === undefined) return undefined;
  try {
    return { kind: log === undefined ? 'agent' : 'log', name: decodeURIComponent(encoded) };
  } catch {
    return undefined;
  }
}
