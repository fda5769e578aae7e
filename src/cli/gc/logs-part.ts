import type { LocalBackend } from '../../backends/local/local-backend.ts';
import { amountOf, type GcPart } from './gc-part.ts';

/** Log lines of agents that nobody runs; of the others the runner sees to the log. Facts and history stay. */
export function logsPart(local: LocalBackend, before: number): GcPart {
  const time = new Date(before).toISOString();
  return {
    name: 'logs',
    title: 'log lines of agents at rest',
    find: () => {
      const logs = local.logsBefore(time);
      return {
        all: sum(logs.map(({ all }) => all)),
        old: sum(logs.map(({ old }) => old)),
        remove: () => local.trimLogs(time),
      };
    },
  };
}

function sum(sizes: readonly { readonly entries: number; readonly bytes: number }[]) {
  return {
    count: sizes.reduce((total, { entries }) => total + entries, 0),
    bytes: amountOf(sizes).bytes,
  };
}
