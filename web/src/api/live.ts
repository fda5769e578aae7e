import type { FleetEvent } from '../../../src/domain/fleet-event.ts';
import type { Answer } from '../../../src/operations/table.ts';
import { messageOf } from './api-error.ts';
import { call } from './call.ts';
import { Observable } from './observable.ts';
import { readEvents } from './read-events.ts';
import { request } from './request.ts';
import { session } from './session.ts';

export type AgentRow = Answer<'list_agents'>['agents'][number];
export type ApprovalRow = Answer<'list_approvals'>['approvals'][number];

export interface FleetData {
  readonly agents: readonly AgentRow[];
  readonly approvals: readonly ApprovalRow[];
  readonly unavailable: readonly { readonly backend: string; readonly message: string }[];
}

/** `log`: the conversation of the watched agent has more. */
export type LiveEvent = FleetEvent | (Pick<FleetEvent, 'agent_name'> & { readonly kind: 'log' });

export type Connection = 'connecting' | 'live' | 'lost';

/** Undefined until it was first loaded. */
export const fleet = new Observable<FleetData | undefined>(undefined);
export const connection = new Observable<Connection>('connecting');
export const loadProblem = new Observable<string>('');

const RETRY_MS = 1_000;
/** Time alone changes what is shown: who is stuck, what has expired. */
const REFRESH_MS = 15_000;
const listeners = new Set<(event: LiveEvent) => void>();
/** The agent whose conversation is shown: its stream also says when there is more of it. */
const watched = new Observable<string | undefined>(undefined);
let cursor: string | undefined;
let loading: Promise<void> | undefined;
let stale = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let lastTook = 0;

/** Calls back for every event of the fleet. */
export function onEvent(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows the fleet for as long as this browser is signed in. */
export async function follow(signal: AbortSignal): Promise<void> {
  const refresh = setInterval(() => document.visibilityState === 'visible' && reload(), REFRESH_MS);
  signal.addEventListener('abort', () => clearInterval(refresh));
  while (!signal.aborted && session.value.kind === 'signed-in') {
    try {
      await followOnce(signal);
    } catch {
      // The connection's state says so.
    }
    if (signal.aborted) return;
    if (switching) continue;
    connection.set('lost');
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Loads agents and approvals again, soon: many events are one request. */
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
    Math.min(1_000, Math.max(20, lastTook * 2)),
  );
}

/** Follows the conversation of an agent too. One stream serves all: a browser has few connections to a server. */
export function watchAgent(name: string): () => void {
  watched.set(name);
  return () => {
    if (watched.value === name) watched.set(undefined);
  };
}

let switching = false;

async function followOnce(outer: AbortSignal): Promise<void> {
  const headers: Record<string, string> = cursor === undefined ? {} : { 'Last-Event-ID': cursor };
  const ending = new AbortController();
  const signal = AbortSignal.any([outer, ending.signal]);
  const agent = watched.value;
  switching = false;
  const unsubscribe = watched.subscribe(() => {
    switching = true;
    ending.abort();
  });
  try {
    await readStream(agent === undefined ? '/events' : `/events?agent=${encodeURIComponent(agent)}`, {
      headers,
      signal,
    });
  } finally {
    unsubscribe();
  }
}

async function readStream(path: string, init: RequestInit): Promise<void> {
  const response = await request(path, init);
  if (response.status === 400) cursor = undefined;
  if (!response.ok || response.body === null) return;
  connection.set('live');
  reload();
  for await (const { id, data } of readEvents(response.body)) {
    cursor = id === '' ? cursor : id;
    const event = JSON.parse(data) as LiveEvent;
    if (event.kind !== 'log') reload();
    for (const listener of listeners) listener(event);
  }
}

async function load(): Promise<void> {
  const began = performance.now();
  try {
    const [list, asked] = await Promise.all([call('list_agents', {}), call('list_approvals', {})]);
    fleet.set({ agents: list.agents, approvals: asked.approvals, unavailable: list.unavailable ?? [] });
    loadProblem.set('');
  } catch (thrown) {
    loadProblem.set(messageOf(thrown));
  }
  lastTook = performance.now() - began;
}
