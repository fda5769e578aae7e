import { actorOf, type Caller } from '../../domain/principal.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';

/** The oldest are forgotten first; a client reads a link soon after it got it. */
const MOST = 10_000;

/** The resources that servers named in their results, and to whom: a server need not list what it links to. */
export class LinkedResources {
  readonly #servers = new Map<string, string>();

  /** Remembers the links in the result of a tool or a prompt. */
  note(caller: Caller, server: string, result: JsonObject): void {
    for (const uri of linksIn(result)) {
      const key = keyOf(caller, uri);
      // Set again, so that it counts as new.
      this.#servers.delete(key);
      this.#servers.set(key, server);
    }
    for (const oldest of this.#servers.keys()) {
      if (this.#servers.size <= MOST) return;
      this.#servers.delete(oldest);
    }
  }

  /** The server that named the resource last in a result for this caller. */
  serverOf(caller: Caller, uri: string): string | undefined {
    return this.#servers.get(keyOf(caller, uri));
  }
}

function linksIn({ content, messages }: JsonObject): readonly string[] {
  const inMessages = Array.isArray(messages) ? messages.filter(isObject).map((each) => each['content']) : [];
  const blocks = [...(Array.isArray(content) ? content : []), ...inMessages.flat()].filter(isObject);
  return blocks.flatMap((block) => {
    const named = block['type'] === 'resource' ? block['resource'] : block;
    const isLink = block['type'] === 'resource' || block['type'] === 'resource_link';
    return isLink && isObject(named) && typeof named['uri'] === 'string' ? [named['uri']] : [];
  });
}

function keyOf(caller: Caller, uri: string): string {
  return JSON.stringify([actorOf(caller).principal, uri]);
}
