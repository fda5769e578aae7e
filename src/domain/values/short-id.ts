const LENGTH = 8;
const UUID = /\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

/** The beginning of an id, as tables show it. */
export function shortId(id: string): string {
  return id.slice(0, LENGTH);
}

/** A sentence of the fleet with its ids shortened. */
export function shortIds(text: string): string {
  return text.replaceAll(UUID, '$1');
}
