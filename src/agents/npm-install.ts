import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { FleetError, storageError } from '../domain/values/errors.ts';
import { reasonOfErrno } from '../domain/values/storage-problem.ts';
import type { CodingAgent } from './catalogue.ts';

export interface NpmRequest {
  readonly version: string;
  /** Where it is installed. */
  readonly prefix: string;
  /** What npm keeps meanwhile: the fleet writes nowhere but in its home. */
  readonly cache: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  readonly onProgress: (line: string) => void;
}

const PROGRESS_MS = 5_000;
const MOST_OUTPUT = 1_000_000;
const UNREACHABLE = [
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTCACHED',
  'ENOTFOUND',
  'ERR_SOCKET_TIMEOUT',
  'ETIMEDOUT',
];

/** One package at one exact version, by npm. */
export async function npmInstall(agent: CodingAgent, request: NpmRequest): Promise<void> {
  const { prefix, env, onProgress } = request;
  onProgress(`Installing ${agent.package}@${request.version} by npm.`);
  const child = spawn('npm', npmArguments(agent, request), {
    cwd: prefix,
    // Npm is a script: it shall run on this Node, which the agent will run on too.
    env: { ...env, PATH: [dirname(process.execPath), env['PATH'] ?? ''].join(delimiter) },
    stdio: ['ignore', 'pipe', 'ignore'],
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output.length < MOST_OUTPUT) output += text;
  });
  const telling = setInterval(() => onProgress(`${sizeOf(prefix)} so far.`), PROGRESS_MS);
  try {
    const [code]: unknown[] = await once(child, 'close');
    if (code !== 0) throw npmProblem(agent, request, output);
  } catch (thrown) {
    if (thrown instanceof FleetError) throw thrown;
    throw notStarted(thrown, request.signal);
  } finally {
    clearInterval(telling);
  }
}

function npmArguments(agent: CodingAgent, { version, prefix, cache }: NpmRequest): string[] {
  return [
    'install',
    `${agent.package}@${version}`,
    `--prefix=${prefix}`,
    `--cache=${cache}`,
    '--global=false',
    '--save-exact',
    '--include=optional',
    `--ignore-scripts=${!agent.scripts}`,
    '--no-audit',
    '--no-fund',
    '--fetch-retry-mintimeout=1000',
    '--fetch-retry-maxtimeout=10000',
    '--json',
  ];
}

function npmProblem(agent: CodingAgent, { version, prefix }: NpmRequest, output: string): FleetError {
  const { code, summary } = reportOf(output);
  const what = `${agent.package}@${version}`;
  const reason = reasonOfErrno(Object.assign(new Error(summary), { code }));
  if (reason !== undefined) return storageError(reason, prefix);
  if (UNREACHABLE.includes(code)) {
    return unavailable(
      'registry_unreachable',
      `npm cannot reach the registry (${code}), so ${what} was not installed. ` +
        `Connect this machine, or set a proxy or a mirror (npm config set registry URL), then: fleet agents install ${agent.name}`,
    );
  }
  if (code === 'ETARGET' || code === 'E404') {
    return new FleetError(
      'NOT_FOUND',
      `The registry has no ${what}. Without --version Fleet takes ${agent.version}.`,
      { field: 'version' },
    );
  }
  return unavailable(
    'install_failed',
    `npm could not install ${what}: ${summary || code || 'no reason given'}`,
  );
}

/** What npm says of a failure with `--json`. */
function reportOf(output: string): { readonly code: string; readonly summary: string } {
  try {
    const report: unknown = JSON.parse(output.slice(output.indexOf('{')));
    const error = isRecord(report) && isRecord(report['error']) ? report['error'] : {};
    return { code: textOf(error['code']), summary: textOf(error['summary']) };
  } catch {
    return { code: '', summary: '' };
  }
}

function notStarted(thrown: unknown, signal: AbortSignal | undefined): FleetError {
  if (signal?.aborted === true)
    return unavailable('install_failed', 'The installation was stopped and left nothing behind.');
  const missing = isRecord(thrown) && thrown['code'] === 'ENOENT';
  if (missing)
    return unavailable('npm_missing', 'npm is not on PATH. Install it (it comes with Node), then try again.');
  return unavailable('install_failed', `npm could not be started: ${String(thrown)}`);
}

function unavailable(reason: string, message: string): FleetError {
  return new FleetError('SERVICE_UNAVAILABLE', message, { reason });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function sizeOf(directory: string): string {
  let bytes = 0;
  try {
    for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
    }
  } catch {
    // Npm moves directories while we look: what was seen by then is told.
  }
  return `${Math.round(bytes / 1_000_000)} MB`;
}
