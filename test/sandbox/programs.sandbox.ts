import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../../src/platform/processes/find-program.ts';
import { LEVELS, why } from '../contained/level.ts';
import { bubblewrap } from './bubblewrap.ts';
import { toolFleet, TOOL_PATH, work } from './work.ts';

const chromium = findProgram('chromium', TOOL_PATH) ?? findProgram('google-chrome', TOOL_PATH);

const BROWSE = `const { chromium } = require('playwright-core');
(async () => {
  const browser = await chromium.launch({
    executablePath: process.argv[2],
    chromiumSandbox: process.getuid() !== 0,
  });
  const page = await browser.newPage();
  await page.setContent('<title>Seen</title><button onclick="document.title += this.textContent">!</button>');
  await page.click('button');
  const picture = await page.screenshot({ path: 'seen.png' });
  console.log(await page.title(), picture.length > 0);
  await browser.close();
})();`;

describe.each(LEVELS.filter(({ sealed }) => sealed))('an agent $name', (level) => {
  const noBrowser = level.skip ?? (chromium === undefined ? 'there is no Chromium' : undefined);
  it.skipIf(noBrowser !== undefined)(
    `drives Chromium by Playwright, with the browser's own sandbox unless it is root${why({ ...level, skip: noBrowser })}`,
    async () => {
      await using fleet = toolFleet(level);
      const script = `echo '{"name": "made", "version": "1.0.0"}' > package.json
npm install --no-audit --no-fund playwright-core@1.60.0
cat > browse.cjs <<'END'
${BROWSE}
END
node browse.cjs '${chromium}'`;
      expect(await work(fleet, 'browser', { script })).toContain('Seen! true');
    },
  );

  const program = bubblewrap();
  const noBubblewrap =
    level.skip ??
    (program === undefined ? 'bubblewrap could not be had' : undefined) ??
    (level.uid === undefined && process.getuid?.() === 0
      ? 'the kernel lets no nested sandbox of root mount /proc'
      : undefined);
  it.skipIf(noBubblewrap !== undefined)(
    `starts a sandbox of its own with bubblewrap${why({ ...level, skip: noBubblewrap })}`,
    async () => {
      await using fleet = toolFleet(level);
      const copy = join(fleet.userHome, 'bwrap');
      copyFileSync(program ?? '', copy);
      const script = `'${copy}' --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --bind "$PWD" "$PWD" --unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-net --die-with-parent sh -c 'echo made > made; echo "first: $$"'
cat made`;
      expect(await work(fleet, 'nested', { script })).toEqual(
        expect.arrayContaining([expect.stringMatching(/^first: [0-9]$/), 'made']),
      );
    },
  );
});
