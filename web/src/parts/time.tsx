import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Observable, useObservable } from '../api/observable.ts';

const TICK_MS = 5_000;
const now = new Observable(Date.now());
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const duration = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

export function useClock(): void {
  useEffect(() => {
    const timer = setInterval(() => now.set(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
}

/** How long ago, with the exact time in its title. */
export function Ago({ at, suffix = ' ago' }: { at: string; suffix?: string }): JSX.Element {
  const current = useObservable(now);
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {inWords(Math.max(0, Math.floor((current - Date.parse(at)) / 1_000) * 1_000) || 1_000)}
      {suffix}
    </time>
  );
}

/** How long until then. */
export function Until({ at }: { at: string }): JSX.Element {
  const current = useObservable(now);
  const left = Date.parse(at) - current;
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {left <= 0 ? 'expired' : `expires in ${inWords(left)}`}
    </time>
  );
}

export function At({ at }: { at: string }): JSX.Element {
  return <time dateTime={at}>{exact.format(new Date(at))}</time>;
}

export function inWords(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${duration.format(seconds)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
