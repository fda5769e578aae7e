import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { acceptTask } from './accept-task.ts';
import { claudeCode } from './claude-code.ts';
import { coldStart } from './cold-start.ts';
import { createToReady } from './create-to-ready.ts';
import { deleteAgent } from './delete-agent.ts';
import { discovery } from './discovery.ts';
import { eventLatency } from './event-latency.ts';
import { history100000 } from './history-100000.ts';
import { journalRate } from './journal-rate.ts';
import { list1000 } from './list-1000.ts';
import { live200 } from './live-200.ts';
import type { Row } from './measure.ts';
import { merging } from './merging.ts';
import { metadata } from './metadata.ts';
import { page } from './page/page.ts';
import { currentLoad, markdown, plainTable } from './report.ts';
import { runnerMemory } from './runner-memory.ts';
import { runnerRecovery } from './runner-recovery.ts';
import { onCoder } from './on-coder.ts';
import { session } from './session.ts';
import { Stage } from './stage.ts';
import { statusVisible } from './status-visible.ts';
import { toolCalls } from './tool-calls.ts';
import { toolServers } from './tool-servers.ts';
import { transfer } from './transfer.ts';

/** `npm run bench` runs all of these and writes docs/bench.md; `npm run bench -- --only recovery` runs those with that in
 *  their names and only prints. */
const MEASURES: Readonly<Record<string, (stage: Stage) => Promise<readonly Row[]>>> = {
  'create-to-ready': createToReady,
  'status-visible': statusVisible,
  'delete-agent': deleteAgent,
  transfer,
  merging,
  discovery,
  'runner-memory': runnerMemory,
  'cold-start': coldStart,
  session,
  'runner-recovery': runnerRecovery,
  'accept-task': acceptTask,
  'journal-rate': journalRate,
  'event-latency': eventLatency,
  page,
  'tool-calls': toolCalls,
  'claude-code': claudeCode,
  'tool-servers': toolServers,
  'live-200': live200,
  metadata,
  'on-coder': onCoder,
  // Last, because they leave this process large.
  'list-1000': list1000,
  'history-100000': history100000,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', multiple: true, default: [] } },
});

await main([...values.only, ...positionals]);

async function main(words: readonly string[]): Promise<void> {
  const unknown = words.find((word) => matching([word]).length === 0);
  if (unknown !== undefined) {
    process.stderr.write(
      `bench: there is no "${unknown}". There are: ${Object.keys(MEASURES).join(', ')}.\n`,
    );
    process.exitCode = 2;
    return;
  }
  const wanted = matching(words);
  const stage = new Stage();
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ] as const) {
    process.once(signal, () => void stage.close().finally(() => process.exit(128 + number)));
  }
  const loadBefore = currentLoad();
  try {
    await stage.prepare();
    const rows = await measure(stage, wanted);
    process.stdout.write(`\n${plainTable(rows)}\n`);
    if (wanted.length > 0) return;
    writeFileSync(new URL('../docs/bench.md', import.meta.url), markdown(rows, new Date(), loadBefore));
    process.stderr.write('\nbench: written to docs/bench.md\n');
  } catch (thrown) {
    process.stderr.write(`\n${stage.complaints()}`);
    throw thrown;
  } finally {
    await stage.close();
  }
}

/** The measures that have one of the words in their names. */
function matching(words: readonly string[]): readonly string[] {
  return Object.keys(MEASURES).filter((name) => words.some((word) => name.includes(word)));
}

async function measure(stage: Stage, wanted: readonly string[]): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [name, take] of Object.entries(MEASURES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const start = performance.now();
    process.stderr.write(`bench: ${name} … `);
    rows.push(...(await take(stage)));
    process.stderr.write(`${((performance.now() - start) / 1000).toFixed(0)} s\n`);
  }
  return rows;
}
