import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { serve } from '../../scripts/soak/served.ts';
import { builtEdition } from '../editions.ts';
import { fillStore } from '../fill-store.ts';
import { skippedRow, type Row } from '../measure.ts';
import type { Stage } from '../stage.ts';
import { openView } from './open-view.ts';

const AGENTS = 1_000;
const SETTLE_MS = 10_000;
const TAKEN_MS = 60_000;
const LIMIT_PERCENT = 1;
/** Of the clock in /proc/PID/stat: the same on every Linux. */
const TICKS_A_SECOND = 100;

/** What a server does while nothing happens and somebody has the page open. */
export async function idleServer(stage: Stage, browser: Browser): Promise<readonly Row[]> {
  const measure = `CPU of fleet serve with ${AGENTS} agents asleep and a page open`;
  if (process.platform !== 'linux') return [skippedRow(measure, 'needs /proc/PID/stat of Linux')];
  const place = stage.place('page-idle');
  fillStore(place, { agents: AGENTS, journals: AGENTS, repository: stage.repository, asleep: true });
  await using served = await serve(place, (await builtEdition(stage)).launcher);
  const taken = async (): Promise<number> => {
    await delay(SETTLE_MS);
    const before = processorMs(served.pid);
    await delay(TAKEN_MS);
    return ((processorMs(served.pid) - before) / TAKEN_MS) * 100;
  };
  const alone = await taken();
  await using view = await openView(browser, served, '/fleet');
  await view.page.locator('.agent-line').first().waitFor();
  const watched = await taken();
  return [
    {
      measure,
      ours: `${watched.toFixed(2)} % of a core`,
      peer: `without the page: ${alone.toFixed(2)} %`,
      ratio: null,
      target: `≤ ${LIMIT_PERCENT} %`,
      met: watched <= LIMIT_PERCENT,
      how: `time of the process in user and system mode over ${TAKEN_MS / 1000} s, ${SETTLE_MS / 1000} s after the last request`,
    },
  ];
}

function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_A_SECOND;
}
