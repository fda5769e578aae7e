import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { launchFound } from '../test/browser/launch-found.ts';

// Takes the pictures of the documentation: the real page with the demo, as `npm start` shows it.
const ROOT = join(import.meta.dirname, '..');
const OUT = join(ROOT, 'docs', 'pictures');
const PICTURES = [
  { name: 'inbox', path: '/inbox', scheme: 'light', width: 1120, ready: 'Which licence' },
  { name: 'fleet', path: '/fleet', scheme: 'light', width: 1120, ready: '4 agents, 0 busy' },
  { name: 'changes', path: '/agents/ada/changes', scheme: 'dark', width: 1120, ready: 'function median' },
  { name: 'merge', path: '/merge', scheme: 'light', width: 1120, ready: 'conflicts with' },
  { name: 'phone', path: '/agents/milo', scheme: 'dark', width: 390, ready: 'its test passes' },
] as const;

const home = mkdtempSync(join(tmpdir(), 'fleet-pictures-'));
const env = { ...process.env, FLEET_HOME: home, FLEET_CONFIG: undefined, FLEET_DEMO_PACE_MS: '100' };
const server = spawn(
  process.execPath,
  [join(ROOT, 'bin', 'fleet.js'), 'serve', '--or-demo', '--port', '0', '--json'],
  {
    env,
    cwd: home,
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
try {
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const { url, token_file } = JSON.parse(line) as { url: string; token_file: string };
  const browser = await launchFound();
  if (browser === undefined) throw new Error('there is no Chromium (FLEET_TEST_BROWSER names one)');
  mkdirSync(OUT, { recursive: true });
  for (const picture of PICTURES) {
    const page = await browser.newPage({
      viewport: { width: picture.width, height: picture.width > 500 ? 640 : 760 },
      colorScheme: picture.scheme,
      deviceScaleFactor: 1,
    });
    await page.goto(`${url}/healthz`);
    await page.evaluate(
      (token) => localStorage.setItem('fleet-session', token),
      readFileSync(token_file, 'utf8').trim(),
    );
    await page.goto(url + picture.path);
    if (picture.name === 'merge') await makeForecast(page);
    await page.getByText(picture.ready).first().waitFor();
    await page.screenshot({ path: join(OUT, `${picture.name}.png`) });
    await page.close();
  }
  await browser.close();
} finally {
  server.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
}

async function makeForecast(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Make (a forecast|it again)/ }).click();
  await page.getByText('agents merge').first().waitFor();
  const close = page.getByRole('button', { name: 'Close the message' });
  while ((await close.count()) > 0) await close.first().click();
}
