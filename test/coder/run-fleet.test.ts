import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { findProgram } from '../../src/platform/processes/find-program.ts';

const SCRIPT = join(import.meta.dirname, '..', '..', 'coder', 'container', 'run-fleet.sh');
/** What the script starts before it has found everything; git comes last, so that it can be left out. */
const PROGRAMS = ['sh', 'cat', 'curl', 'cut', 'mkdir', 'node', 'npm', 'rm', 'sed', 'tail', 'tr', 'git'];
const missing = PROGRAMS.filter((name) => findProgram(name, process.env['PATH']) === undefined);
const why = missing.length === 0 ? '' : ` (skipped: no ${missing.join(', ')})`;

interface Told {
  readonly code: number;
  readonly status: { readonly app_slug: string; readonly state: string; readonly message: string };
  readonly token: string | undefined;
}

/** Starts the script of a workspace that has these programs and this repository; what it told Coder. */
async function start(programs: readonly string[], repository: string): Promise<Told> {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-run-'));
  const told: Omit<Told, 'code'>[] = [];
  const server = createServer(async (request, response) => {
    const status = JSON.parse(await text(request)) as Told['status'];
    told.push({ status, token: request.headers['coder-session-token']?.toString() });
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  for (const part of ['bin', 'home', 'parameters']) mkdirSync(join(directory, part));
  for (const name of programs)
    symlinkSync(findProgram(name, process.env['PATH']) ?? '', join(directory, 'bin', name));
  writeFileSync(join(directory, 'parameters', 'repository'), repository);
  const env = {
    PATH: join(directory, 'bin'),
    HOME: join(directory, 'home'),
    FLEET_PARAMETERS: join(directory, 'parameters'),
    FLEET_DIRECTORY: join(directory, 'home', 'project'),
    CODER_AGENT_URL: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`,
    CODER_AGENT_TOKEN: 'agent-token',
  };
  try {
    const ended = await promisify(execFile)('/bin/sh', [SCRIPT, 'start'], { env }).then(
      () => 0,
      ({ code }: { code: number }) => code,
    );
    const [last] = told;
    if (last === undefined) throw new Error('it told nothing');
    return { code: ended, ...last };
  } finally {
    server.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

it.skipIf(missing.length > 0)(
  `tells Coder what a workspace lacks, in a text that Coder takes${why}`,
  async () => {
    const { code, status, token } = await start(PROGRAMS.slice(0, -1), '');
    expect(code).toBe(1);
    expect(token).toBe('agent-token');
    expect(status).toMatchObject({ app_slug: 'fleet', state: 'failure' });
    expect(status.message).toMatch(/^The image of this workspace has no git on the PATH\. .*Dockerfile/);
  },
);

it.skipIf(missing.length > 0)(
  `tells Coder why a repository was not cloned, whatever git says${why}`,
  async () => {
    const odd = `/nowhere/"quoted"\\${'x'.repeat(300)}`;
    const { code, status } = await start(PROGRAMS, odd);
    expect(code).toBe(1);
    expect(status.message).toContain('The repository cannot be cloned: fatal: ');
    expect(Buffer.byteLength(status.message)).toBeLessThanOrEqual(160);
  },
);
