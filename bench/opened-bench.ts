import { AgentRows } from '../src/backends/local/records/agent-rows.ts';
import { startRunner } from '../src/backends/local/runner/start-runner.ts';
import type { Caller } from '../src/domain/principal.ts';
import type { Fleet } from '../src/fleet/fleet.ts';
import { openFleet } from '../src/fleet/open-fleet.ts';
import { invoke } from '../src/operations/invoke.ts';
import { findOperation } from '../src/operations/table.ts';
import { systemClock } from '../src/platform/clock.ts';
import { Store } from '../src/store/store.ts';
import type { Place } from './stage.ts';

/** A fleet as any interface of it sees it. */
export interface OpenedBench extends AsyncDisposable {
  readonly fleet: Fleet;
  call(operation: string, input: object): Promise<Record<string, unknown>>;
}

const CALLER: Caller = {
  principal: { kind: 'user', name: 'bench' },
  door: 'cli',
  source: 'human',
  scopes: new Set(['read', 'operate', 'approve']),
};

export function open(place: Place): OpenedBench {
  const opened = openFleet(place);
  return {
    fleet: opened.fleet,
    call: async (name, input) => {
      const operation = findOperation(name);
      if (operation === undefined) throw new Error(`there is no operation ${name}`);
      return { ...(await invoke(operation, input, { fleet: opened.fleet, caller: CALLER })) };
    },
    [Symbol.asyncDispose]: async () => opened[Symbol.asyncDispose](),
  };
}

/** Starts the runner of a sleeping agent and answers when it listens. */
export async function start({ home }: Place, workspaceId: string): Promise<void> {
  using store = new Store(home);
  await startRunner({ home, store, rows: new AgentRows(store), clock: systemClock }, workspaceId);
}
