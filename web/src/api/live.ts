import type { Answer } from '../../../src/operations/table.ts';
import { messageOf } from './api-error.ts';
import { call } from './call.ts';
import { Observable } from './observable.ts';

export type AgentRow = Answer<'list_agents'>['agents'][number];
export type ApprovalRow = Answer<'list_approvals'>['approvals'][number];

export type ConflictRow = Answer<'list_conflicts'>['conflicts'][number];

export interface FleetData {
  readonly agents: readonly AgentRow[];
  readonly approvals: readonly ApprovalRow[];
  readonly unavailable: readonly { readonly backend: string; readonly message: string }[];
}

/** Undefined until it was first loaded. */
export const fleet = new Observable<FleetData | undefined>(undefined);
/** Branches that do not merge; undefined until they were first looked for. */
export const conflicts = new Observable<readonly ConflictRow[] | undefined>(undefined);
/** Why it could not be loaded again; empty when it could. */
export const loadProblem = new Observable<string>('');

const STILL: ReadonlySet<AgentRow['status']> = new Set(['idle', 'stopped', 'failed', 'canceled']);

/** True when no agent works and nothing is asked. Events tell when that ends. */
export function isAtRest(data: FleetData | undefined): boolean {
  return (
    data !== undefined &&
    data.approvals.length === 0 &&
    data.unavailable.length === 0 &&
    data.agents.every(({ status }) => STILL.has(status))
  );
}

/** A request that is never answered, as after the machine slept, must not hold up the next. */
const LIMIT_MS = 30_000;
let loading: Promise<void> | undefined;
let stale = false;
let timer: ReturnType<typeof setTimeout> | undefined;
/** Not asked again before. */
let notBefore = 0;

/** Loads agents and approvals again: at once, but many events in a row are one request, and a slow server is asked less
 *  often. */
export function reload(): void {
  if (loading !== undefined) {
    stale = true;
    return;
  }
  timer ??= setTimeout(
    () => {
      timer = undefined;
      loading = load().finally(() => {
        loading = undefined;
        if (!stale) return;
        stale = false;
        reload();
      });
    },
    Math.max(0, notBefore - performance.now()),
  );
}

async function load(): Promise<void> {
  const began = performance.now();
  try {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const [list, asked] = await Promise.all([
      call('list_agents', {}, signal),
      call('list_approvals', {}, signal),
    ]);
    fleet.set({ agents: list.agents, approvals: asked.approvals, unavailable: list.unavailable ?? [] });
    loadProblem.set('');
  } catch (thrown) {
    loadProblem.set(messageOf(thrown));
  }
  const now = performance.now();
  notBefore = now + Math.min(1_000, Math.max(20, (now - began) * 2));
}
