import { systemClock } from '../../platform/clock.ts';
import { AgentRecords } from './agent-records.ts';
import { landAll } from './merge/land-all.ts';
import { runForecastChecks } from './merge/run-forecast-checks.ts';
import { AgentRows, type AgentRow } from './records/agent-rows.ts';
import { openStore } from './records/open-store.ts';

// Lands agents or runs the checks of a forecast, beside the process that asked for it, which may end before.

const [home, what, ...words] = process.argv.slice(2);
if (home === undefined) throw new Error('usage: merge-main HOME land|forecast WORDS');
process.on('SIGINT', () => {});
process.on('SIGHUP', () => {});
using store = openStore(home);
const context = { home, store, rows: new AgentRows(store), clock: systemClock };
const { signal } = new AbortController();
if (what === 'land') {
  const records = new AgentRecords(context);
  const stateOf = async (row: AgentRow) => (await records.of(row)).state;
  await landAll(context, words, { signal, progress: () => {}, stateOf });
} else for (const project of words) await runForecastChecks(context, project, signal);
