import type { GcPart } from '../../gc-part.ts';
import type { LocalContext } from '../records/local-context.ts';
import { logsBefore, trimLogs } from '../runner/old-logs.ts';

/** Log lines of agents without a runner; a runner trims the log of its agent itself. Facts and history stay. */
export function logsPart(context: LocalContext, before: number): GcPart {
  const time = new Date(before).toISOString();
  return {
    name: 'logs',
    title: 'log lines of agents at rest',
    find: () => {
      const logs = logsBefore(context, time);
      return {
        all: sum(logs.map(({ all }) => all)),
        old: sum(logs.map(({ old }) => old)),
        remove: () => trimLogs(context, time),
      };
    },
  };
}

function sum(sizes: readonly { readonly entries: number; readonly bytes: number }[]) {
  return {
    count: sizes.reduce((total, { entries }) => total + entries, 0),
    bytes: sizes.reduce((total, { bytes }) => total + bytes, 0),
  };
}
