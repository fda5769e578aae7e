import type { FleetEvent } from '../../../src/domain/fleet-event.ts';
import { ApiError } from './api-error.ts';
import { fleet, isAtRest, reload } from './live.ts';
import { Observable } from './observable.ts';
import { readEvents } from './read-events.ts';
import { request } from './request.ts';
import { session } from './session.ts';

/** `log`: the conversation of the watched agent has more. */
export type LiveEvent = FleetEvent | (Pick<FleetEvent, 'agent_name'> & { readonly kind: 'log' });

/** `paused`: the tab is in the background. */
export type Connection = 'connecting' | 'live' | 'lost' | 'paused';

export const connection = new Observable<Connection>('connecting');
/** How often the connection came back after it was lost. */
export const reconnects = new Observable(0);

const RETRY_MS = 1_000;
/** Time alone changes what is shown: an agent is stuck, a question has expired. */
const REFRESH_MS = 15_000;
/** While nothing happens, time changes little: the list is asked for at every fourth turn. */
const TURNS_AT_REST = 4;
/** A browser has six connections to a server. A tab that nobody looks at gives its own back, and asks now and then. */
const PAUSE_AFTER_MS = 30_000;
const SILENCE_MS = 45_000;
const listeners = new Set<(event: LiveEvent) => void>();
/** The agent whose conversation is shown: its stream also says when there is more of it. */
const watched = new Observable<string | undefined>(undefined);
let cursor: string | undefined;

/** Calls back for every event of the fleet. */
export function onEvent(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows the conversation of an agent too, in the same stream. */
export function watchAgent(name: string): () => void {
  watched.set(name);
  return () => {
    if (watched.value === name) watched.set(undefined);
  };
}

/** Follows the fleet for as long as this browser is signed in. */
export async function follow(signal: AbortSignal): Promise<void> {
  let turn = 0;
  const refresh = setInterval(() => {
    turn++;
    if (turn % TURNS_AT_REST === 0 || !isAtRest(fleet.value)) reload();
  }, REFRESH_MS);
  signal.addEventListener('abort', () => clearInterval(refresh));
  while (!signal.aborted && session.value.kind === 'signed-in') {
    const end = await followOnce(signal);
    if (signal.aborted) return;
    if (end === 'switched') continue;
    connection.set(end);
    await (end === 'paused' ? shown(signal) : new Promise((resolve) => setTimeout(resolve, RETRY_MS)));
  }
}

/** Why the stream ended: another agent is watched now, the tab went to the background, or the connection broke. */
async function followOnce(outer: AbortSignal): Promise<'switched' | 'paused' | 'lost'> {
  const agent = watched.value;
  const ending = new AbortController();
  let why: 'switched' | 'paused' | 'lost' = 'lost';
  const end = (reason: 'switched' | 'paused'): void => {
    why = reason;
    ending.abort();
  };
  const watchdog = new Watchdog(() => ending.abort());
  const unwatch = watched.subscribe(() => end('switched'));
  const unpause = whenHidden(() => end('paused'));
  try {
    const path = agent === undefined ? '/events' : `/events?agent=${encodeURIComponent(agent)}`;
    await readStream(path, AbortSignal.any([outer, ending.signal]), watchdog);
  } catch {
    // The state of the connection says so.
  } finally {
    watchdog.stop();
    unwatch();
    unpause();
  }
  return why;
}

async function readStream(path: string, signal: AbortSignal, watchdog: Watchdog): Promise<void> {
  const headers: Record<string, string> = cursor === undefined ? {} : { 'Last-Event-ID': cursor };
  const response = await request(path, { headers, signal });
  if (response.status === 400) cursor = undefined;
  if (!response.ok || response.body === null) {
    const { code, reason } = await ApiError.from(response);
    // The agent was deleted, or its backend cannot be reached: the events of the others go on.
    if (code === 'NOT_FOUND' || (code === 'SERVICE_UNAVAILABLE' && reason !== 'stopping'))
      watched.set(undefined);
    return;
  }
  const wasAway = connection.value === 'lost' || connection.value === 'paused';
  connection.set('live');
  if (wasAway) reconnects.set(reconnects.value + 1);
  reload();
  for await (const { id, data } of readEvents(response.body, () => watchdog.sign())) {
    cursor = id === '' ? cursor : id;
    const event = JSON.parse(data) as LiveEvent;
    if (event.kind !== 'log') reload();
    for (const listener of listeners) listener(event);
  }
}

/** Ends a connection on which nothing arrives any more, not even what the server sends to keep it alive. */
class Watchdog {
  readonly #end: () => void;
  #timer: ReturnType<typeof setTimeout>;

  constructor(end: () => void) {
    this.#end = end;
    this.#timer = setTimeout(end, SILENCE_MS);
  }

  sign(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#end, SILENCE_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Calls back once the tab has been in the background for a while. */
function whenHidden(callback: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(timer);
    if (document.visibilityState === 'hidden') timer = setTimeout(callback, PAUSE_AFTER_MS);
  };
  look();
  document.addEventListener('visibilitychange', look);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
  };
}

function shown(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.visibilityState === 'hidden' && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
    look();
  });
}
