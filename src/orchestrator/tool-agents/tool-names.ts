import { createHash } from 'node:crypto';
import type { Offer } from '../servers/offers.ts';

export interface NamedServer {
  readonly server: string;
  /** False: its tools want their bare names. */
  readonly prefix: boolean;
  readonly tools: readonly Offer[];
}

export interface NamedTool {
  /** The name under which it is offered. */
  readonly name: string;
  readonly server: string;
  readonly tool: Offer;
}

/** A name that two tools wanted. */
export interface Collision {
  readonly wanted: string;
  readonly server: string;
  readonly tool: string;
  /** Null: a tool that its own server offers twice cannot be told from the first. */
  readonly offered_as: string | null;
}

const LIMIT = 64;
const ALLOWED = /^[A-Za-z0-9_-]{1,64}$/;

/** Gives every tool of every server a name of its own. The same servers give the same names every time. */
export function nameTools(
  servers: readonly NamedServer[],
  taken: Iterable<string>,
): { readonly tools: readonly NamedTool[]; readonly collisions: readonly Collision[] } {
  const names = new Set(taken);
  const tools: NamedTool[] = [];
  const collisions: Collision[] = [];
  for (const { server, prefix, tools: offered } of servers) {
    const seen = new Set<string>();
    for (const tool of offered) {
      const wanted = prefix ? offeredName(server, tool.name) : bareName(server, tool.name);
      if (seen.has(tool.name)) {
        collisions.push({ wanted, server, tool: tool.name, offered_as: null });
        continue;
      }
      seen.add(tool.name);
      const free = [
        wanted,
        offeredName(server, tool.name),
        hashedName(`${server}__${tool.name}`, server, tool.name),
      ];
      const name = free.find((each) => !names.has(each)) ?? numbered(wanted, names);
      if (name !== wanted) collisions.push({ wanted, server, tool: tool.name, offered_as: name });
      names.add(name);
      tools.push({ name, server, tool });
    }
  }
  return { tools, collisions };
}

/** `<server>__<tool>`, as every client takes it. */
export function offeredName(server: string, tool: string): string {
  const plain = `${server}__${tool}`;
  return ALLOWED.test(plain) ? plain : hashedName(plain, server, tool);
}

function bareName(server: string, tool: string): string {
  return ALLOWED.test(tool) ? tool : hashedName(tool, server, tool);
}

/** A name that had to be changed says so by a piece of its hash: two that become the same text stay apart. */
function hashedName(text: string, server: string, tool: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, 8);
  const plain = text.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, LIMIT - 9);
  return `${plain}_${hash}`;
}

function numbered(wanted: string, names: ReadonlySet<string>): string {
  for (let number = 2; ; number++) {
    const name = `${wanted.slice(0, LIMIT - 5)}_${number}`;
    if (!names.has(name)) return name;
  }
}
