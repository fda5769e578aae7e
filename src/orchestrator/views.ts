import type { Caller } from '../domain/principal.ts';
import { isInView, seesServer, type View, type ViewedTool } from '../domain/values/view.ts';

/** The views of the configuration as it is now. A view that is not there any more shows nothing. */
export class Views {
  readonly #named: (name: string) => View | undefined;

  constructor(named: (name: string) => View | undefined) {
    this.#named = named;
  }

  has(name: string): boolean {
    return this.#named(name) !== undefined;
  }

  /** Who has several views is given what all of them show. */
  shows({ views = [] }: Pick<Caller, 'views'>, tool: ViewedTool): boolean {
    return views.every((name) => {
      const view = this.#named(name);
      return view !== undefined && isInView(view, tool);
    });
  }

  showsServer({ views = [] }: Pick<Caller, 'views'>, server: string): boolean {
    return views.every((name) => {
      const view = this.#named(name);
      return view !== undefined && seesServer(view, server);
    });
  }
}
