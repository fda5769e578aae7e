import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLEET, runFleet } from '../support/fleets/fleet-process.ts';
import { launchBrowser, withoutBrowser } from './open-page.ts';
import { strangerPath } from './stranger-path.ts';

interface Demo extends AsyncDisposable {
  readonly home: string;
  readonly link: string;
}

/** The demo in a home of its own. */
async function startDemo(): Promise<Demo> {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-test-stranger-'));
  const home = join(directory, 'fleet', 'demo');
  const env = {
    ...process.env,
    HOME: directory,
    FLEET_HOME: join(directory, 'fleet'),
    FLEET_CONFIG: undefined,
    FLEET_DEMO_PACE_MS: '100',
  };
  const server = spawn(process.execPath, [FLEET, 'serve', '--or-demo', '--port', '0'], {
    env,
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let link = '';
  for await (const line of createInterface({ input: server.stdout })) {
    link = /http:\/\/\S+\?code=\S+/.exec(line)?.[0] ?? '';
    if (link !== '') break;
  }
  server.stdout.resume();
  return {
    home,
    link,
    async [Symbol.asyncDispose]() {
      const ofDemo = { ...env, FLEET_HOME: home, FLEET_CONFIG: join(home, 'fleet.yaml') };
      for (const name of ['ada', 'iris', 'kay', 'milo']) await runFleet(['delete', name], { env: ofDemo });
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

describe.skipIf(withoutBrowser)('the first minute of a stranger, with the demo', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it('has a question to answer, a change to land, and a conflict in the forecast', async () => {
    await using demo = await startDemo();
    const page = await browser.newPage();
    for (const step of strangerPath(demo.link)) await step.act(page);
    expect(readFileSync(join(demo.home, 'tiny-kit', 'stats.js'), 'utf8')).toContain('function median');
    await page.getByRole('button', { name: /Make (a forecast|it again)/ }).click();
    await page
      .getByText(/iris conflicts with/)
      .first()
      .waitFor();
    await page.close();
  });
});
