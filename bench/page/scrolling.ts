import type { Browser, Page } from 'playwright-core';
import { serve } from '../../scripts/soak/served.ts';
import { createAgent, untilStatus } from '../agents.ts';
import { builtEdition } from '../editions.ts';
import { fillStore } from '../fill-store.ts';
import type { Row } from '../measure.ts';
import type { Stage } from '../stage.ts';
import { openView } from './open-view.ts';

const AGENTS = 1_000;
const LINES = 20_000;
const TURNS = 100;
const TURN_PIXELS = 600;

/** How much work scrolling is: through a list of 1,000 agents, and through a diff of 20,000 lines; beside the same lines
 *  in a page that is plain text. */
export async function scrolling(stage: Stage, browser: Browser): Promise<readonly Row[]> {
  const built = await builtEdition(stage);
  const list = stage.place('page-list');
  fillStore(list, { agents: AGENTS, journals: 0, repository: stage.repository, asleep: true });
  const listed = await (async () => {
    await using served = await serve(list, built.launcher);
    await using view = await openView(browser, served, '/fleet');
    await view.page.locator('.agent-line').first().waitFor();
    return await scrolled(view.page);
  })();

  const place = stage.place('page-diff');
  await using bench = built.bench.open(place);
  const task = `i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); echo "const value$i = compute($i, 'text');"; done > large.ts`;
  const name = await createAgent(bench, task);
  await untilStatus(bench.fleet, name, 'idle');
  const diff = await (async () => {
    await using served = await serve(place, built.launcher);
    await using view = await openView(browser, served, `/agents/${name}/changes`);
    await view.page.locator('.patch-line.added').first().waitFor();
    return await scrolled(view.page);
  })();
  await stage.end(place.home);
  const plain = await plainPage(browser);
  return [
    row(`scrolling ${AGENTS} agents`, listed, plain),
    row(`scrolling a diff of ${LINES} lines`, diff, plain),
  ];
}

interface Scrolled {
  /** Tasks of the main thread over 50 ms. */
  readonly long: number;
  readonly longest: number;
  readonly nodes: number;
}

async function scrolled(page: Page): Promise<Scrolled> {
  await page.evaluate(`{
    const long = (globalThis.long = []);
    new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
    });
  }`);
  await page.mouse.move(600, 500);
  let nodes = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    await page.mouse.wheel(0, TURN_PIXELS);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    if (turn % 10 === 0)
      nodes = Math.max(nodes, await page.evaluate<number>(`document.querySelectorAll('*').length`));
  }
  const long = await page.evaluate<number[]>('globalThis.long');
  return { long: long.length, longest: Math.max(0, ...long), nodes };
}

async function plainPage(browser: Browser): Promise<Scrolled> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const lines = Array.from({ length: LINES }, (_, at) => `+const value${at} = compute(${at}, 'text');`);
  await page.setContent(`<pre>${lines.join('\n')}</pre>`);
  const figures = await scrolled(page);
  await page.close();
  return figures;
}

function row(measure: string, ours: Scrolled, plain: Scrolled): Row {
  return {
    measure,
    ours: text(ours),
    peer: `${LINES} lines of plain text: ${text(plain)}`,
    ratio: null,
    target: 'no task over 50 ms',
    met: ours.long === 0,
    how: `${TURNS} turns of the wheel, ${TURN_PIXELS} pixels each, with two frames after each; the browser's own list of long tasks, and the most elements in the document`,
  };
}

function text({ long, longest, nodes }: Scrolled): string {
  const tasks =
    long === 0 ? 'no task over 50 ms' : `${long} tasks over 50 ms (longest ${longest.toFixed(0)} ms)`;
  return `${tasks}, ${nodes} elements`;
}
