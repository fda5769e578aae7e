import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { FLEET } from '../../support/fleets/fleet-process.ts';
import { CUT_DIRECTORY, CUT_ROLE } from './cut-files.ts';
import { CUT } from './give-cut.ts';
import type { Stage } from '../stage.ts';

export interface CutServer extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly exited: Promise<unknown>;
}

/** `fleet serve` that can be cut; undefined when it was cut before it was ready. */
export async function startCutServer(stage: Stage): Promise<CutServer | undefined> {
  const args = ['--import', CUT, FLEET, 'serve', '--port', '0', '--json'];
  const env = { ...stage.env, [CUT_DIRECTORY]: stage.directory, [CUT_ROLE]: 'server' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  const ready = once(createInterface({ input: child.stdout }), 'line').then(([line]) => String(line));
  const line = await Promise.race([ready, exited.then(() => undefined)]);
  if (line === undefined) return undefined;
  const { url, token_file } = JSON.parse(line) as { url: string; token_file: string };
  return {
    url,
    token: readFileSync(token_file, 'utf8').trim(),
    exited,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
