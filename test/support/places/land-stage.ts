import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { land, type LandParts } from '../../../src/backends/local/merge/land.ts';
import { undoLanding } from '../../../src/backends/local/merge/undo-landing.ts';
import type { FleetEvent } from '../../../src/domain/fleet-event.ts';
import type { LandOptions } from '../../../src/domain/merge/landing.ts';
import { identify } from '../../../src/platform/processes/process-identity.ts';
import { EventLog } from '../../../src/store/event-log.ts';
import { LandingStore, newLanding, type StoredLanding } from '../../../src/store/landing-store.ts';
import { Store } from '../../../src/store/store.ts';
import { agentClone, type AgentClone } from '../installs/agent-clone.ts';

/** A process that is gone. */
export const DEAD = { pid: 1, started: 'never', boot: 'none' };

export interface LandStage extends AgentClone {
  readonly landings: LandingStore;
  /** A landing that has only just begun. */
  begun(options?: Partial<LandOptions>): StoredLanding;
  events(): readonly FleetEvent[];
  land(options?: Partial<LandOptions>, parts?: Partial<LandParts>): Promise<StoredLanding>;
  undo(land_id: string): ReturnType<typeof undoLanding>;
  /** A shell of the user in the project's repository. */
  user(script: string): void;
  at(ref: string): string;
  /** Branch, index and files of the project's repository. */
  state(): object;
  interrupted(land_id: string, moved: { from: string; to: string }): void;
}

/** A project with one agent, and landings of its work. */
export async function landStage(before?: string): Promise<LandStage> {
  const place = await agentClone(before === undefined ? {} : { before });
  const store = new Store(place.home);
  const landings = new LandingStore(store);
  const signal = new AbortController().signal;
  const lender = join(place.repository, '.git');
  const begun = (options: Partial<LandOptions> = {}): StoredLanding => {
    const landing = newLanding({
      land_id: randomUUID(),
      workspace_id: place.work.launch.workspace_id,
      agent_name: 'sony',
      project: 'Setup',
      options: { strategy: 'merge', uncommitted: 'refuse', skip_checks: false, ...options },
      by: 'user:test',
      created_at: new Date(0).toISOString(),
      lender,
      process: identify(process.pid),
    });
    landings.insert(landing);
    return landing;
  };
  const own = {
    landings,
    begun,
    events: () => new EventLog(store).since('0', 100),
    land: (options: Partial<LandOptions> = {}, parts: Partial<LandParts> = {}) => {
      const { land_id } = begun(options);
      return land(land_id, {
        landings,
        work: place.work,
        busy: false,
        signal,
        progress: () => {},
        check: async () => {},
        ...parts,
      });
    },
    undo: (land_id: string) => undoLanding(land_id, { home: place.home, landings, signal }),
    user: (script: string) => {
      place.agent(`cd '${place.repository}'; ${script}`);
    },
    at: (ref: string) => place.git('rev-parse', ref).trim(),
    state: () => ({
      main: place.git('rev-parse', 'main'),
      status: place.git('status', '--porcelain', '--ignored'),
      files: place.agent(
        `cd '${place.repository}'; find . -path ./.git -prune -o -type f -exec sha1sum {} + | sort`,
      ),
    }),
    interrupted: (land_id: string, moved: { from: string; to: string }) =>
      void landings.change(land_id, {
        state: 'running',
        process: DEAD,
        intent: { ...moved, checkout: place.repository, at: Date.now(), undo: false },
      }),
    [Symbol.dispose]: () => {
      store[Symbol.dispose]();
      place[Symbol.dispose]();
    },
  };
  return { ...place, ...own };
}
