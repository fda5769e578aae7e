// Writes docs/first-minutes.md: the way of a stranger from `git clone` to an answered question and a landed change. It runs
// the commands of the README with an empty home directory, and then uses only the page.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { launchFound } from '../test/browser/launch-found.ts';
import { strangerPath } from '../test/browser/stranger-path.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs', 'first-minutes.md');
const PICTURES = join(ROOT, 'docs', 'pictures', 'first-minutes');
const LIMIT_SECONDS = 180;

const directory = mkdtempSync(join(tmpdir(), 'fleet-stranger-'));
const { PATH, npm_config_registry } = process.env;
const env = {
  PATH: (PATH ?? '')
    .split(':')
    .filter((part) => !part.includes('node_modules'))
    .join(':'),
  HOME: join(directory, 'home'),
  ...(npm_config_registry === undefined ? {} : { npm_config_registry }),
};
mkdirSync(env.HOME);
requireCommands();

const began = performance.now();
const rows: { does: string; seconds: number; picture?: string }[] = [];
const note = (does: string, picture?: string): void => {
  rows.push({
    does,
    seconds: (performance.now() - began) / 1000,
    ...(picture === undefined ? {} : { picture }),
  });
};
execFileSync('git', ['clone', '--quiet', ROOT, 'fleet'], { cwd: directory, env });
note('`git clone`');
const server = spawn('npm', ['start'], {
  cwd: join(directory, 'fleet'),
  env,
  stdio: ['ignore', 'pipe', 'ignore'],
  detached: true,
});
try {
  const link = await linkOf(server.stdout);
  note('`npm start` has installed what it needs, and prints the link.');
  const browser = await launchFound();
  if (browser === undefined) throw new Error('there is no Chromium (FLEET_TEST_BROWSER names one)');
  const page = await browser.newPage({ viewport: { width: 1280, height: 760 } });
  rmSync(PICTURES, { recursive: true, force: true });
  mkdirSync(PICTURES, { recursive: true });
  for (const [at, step] of strangerPath(link).entries()) {
    await step.act(page);
    note(step.does, `${at + 1}.png`);
    await page.screenshot({ path: join(PICTURES, `${at + 1}.png`) });
  }
  await browser.close();
} finally {
  if (server.pid !== undefined) process.kill(-server.pid, 'SIGINT');
  await once(server, 'exit');
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
writeFileSync(PAGE, text());
if ((rows.at(-1)?.seconds ?? Infinity) > LIMIT_SECONDS) {
  process.stderr.write(`It took more than ${LIMIT_SECONDS} s.\n`);
  process.exitCode = 1;
}

/** Only what the README tells a stranger to type. */
function requireCommands(): void {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const commands = 'git clone <this repository> fleet\ncd fleet\nnpm start\n';
  if (!readme.includes(commands)) throw new Error('the README has other commands than this script');
}

async function linkOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const link = /http:\/\/\S+\?code=\S+/.exec(line)?.[0];
    if (link === undefined) continue;
    output.resume();
    return link;
  }
  throw new Error('npm start printed no link');
}

function text(): string {
  const lines = rows.map(({ does, seconds }) => `| ${seconds.toFixed(0)} s | ${does} |`);
  const pictures = rows.flatMap(({ does, picture }) =>
    picture === undefined
      ? []
      : [`${does}\n\n![${does.replaceAll(/[*`]/g, '')}](pictures/first-minutes/${picture})`],
  );
  return `# The first minutes

<!-- Made by \`npm run first-minutes\`. Edit scripts/first-minutes.ts, not this page. -->

The way of a stranger with an empty home directory, who types the three commands of the [README](../README.md) and then
uses only the page, in a real Chromium. The packages come from the registry; the repository is cloned from this disk. On
${cpus().length} cores:

| after | |
|---|---|
${lines.join('\n')}

${pictures.join('\n\n')}
`;
}
