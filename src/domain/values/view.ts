import { matchesPattern } from './matches-pattern.ts';

/** The part of all tools that somebody is given. What it leaves open it does not narrow. */
export interface View {
  readonly servers?: readonly string[] | undefined;
  /** Names, with `*` for any characters. */
  readonly tools?: readonly string[] | undefined;
  /** Only tools that say that they only look. */
  readonly read_only?: boolean | undefined;
}

export interface ViewedTool {
  readonly server: string;
  /** As it is offered. */
  readonly name: string;
  readonly readOnly: boolean;
}

/** The fleet's own operations, where servers are named. */
export const OWN_SERVER = 'fleet';

export function isInView(view: View, { server, name, readOnly }: ViewedTool): boolean {
  return (
    seesServer(view, server) &&
    (view.tools === undefined || view.tools.some((pattern) => matchesPattern(name, pattern))) &&
    (view.read_only !== true || readOnly)
  );
}

export function seesServer({ servers }: View, server: string): boolean {
  return servers === undefined || servers.includes(server);
}
