import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A program that playwright can start. */
export interface FoundBrowser {
  readonly executablePath: string;
  readonly args: readonly string[];
}

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Chromium inside a package of npm, for machines that have none. */
const PACKAGE = '@sparticuz/chromium';
const VERSION = '153.0.0';
/** Arguments of that package that make it another browser than users have: less safe, and gone with its last window. */
const UNWANTED: readonly string[] = [
  '--single-process',
  '--no-zygote',
  '--disable-web-security',
  '--allow-running-insecure-content',
  '--disable-site-isolation-trials',
];

/** Chromium of the machine, else one from npm that is kept in the user's cache; undefined when neither can be had. */
export async function findBrowser(): Promise<FoundBrowser | undefined> {
  const given = process.env['FLEET_TEST_BROWSER'];
  const found = [...(given === undefined ? [] : [given]), ...INSTALLED].find((file) => existsSync(file));
  if (found !== undefined) return { executablePath: found, args: ['--no-sandbox'] };
  if (process.platform !== 'linux') return undefined;
  const directory = cacheDirectory();
  if (!existsSync(join(directory, 'node_modules', PACKAGE))) installInto(directory);
  try {
    const file = createRequire(join(directory, 'package.json')).resolve(PACKAGE);
    const { default: chromium } = (await import(pathToFileURL(file).href)) as {
      default: { readonly args: readonly string[]; executablePath(): Promise<string> };
    };
    const args = chromium.args.filter((each) => !UNWANTED.includes(each));
    return { executablePath: await chromium.executablePath(), args };
  } catch {
    return undefined;
  }
}

function cacheDirectory(): string {
  const { FLEET_TEST_BROWSER_CACHE, XDG_CACHE_HOME } = process.env;
  return FLEET_TEST_BROWSER_CACHE ?? join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'fleet-test-browser');
}

function installInto(directory: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{ "private": true }');
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${PACKAGE}@${VERSION}`];
  spawnSync('npm', args, { cwd: directory, stdio: 'ignore', timeout: 300_000 });
}
