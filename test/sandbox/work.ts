import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { PACKAGE_SETTINGS } from '../../src/backends/local/workspace/package-settings.ts';
import { asUser, ContainedFleet, type Level } from '../contained/level.ts';
import { FLEET } from '../support/fleets/fleet-process.ts';

/** The programs of the system before those that are in a home directory. */
export const TOOL_PATH = ['/usr/local/bin', '/usr/bin', '/bin', process.env['PATH']].join(':');

/** Where clients of package registries have their settings in a home directory, and Rust its compiler. */
const SETTINGS = [
  '.npmrc',
  '.pip',
  '.config/pip',
  '.config/go',
  '.cargo/config.toml',
  '.cargo/credentials.toml',
  '.rustup',
];

/** A fleet of a user who gets packages from where the user of this test does. */
export function toolFleet(level: Level, roles: Readonly<Record<string, object>> = {}): ContainedFleet {
  const fleet = new ContainedFleet(level);
  const file = fleet.env['FLEET_CONFIG'] ?? '';
  const config = JSON.parse(readFileSync(file, 'utf8')) as { roles: object };
  writeFileSync(file, JSON.stringify({ ...config, roles: { ...config.roles, ...roles } }));
  const own = level.uid === undefined;
  for (const [name, value] of Object.entries(process.env))
    if (PACKAGE_SETTINGS.some((each) => each.test(name)) && (own || !/config$/i.test(name)))
      fleet.env[name] = value;
  fleet.env['PATH'] = TOOL_PATH;
  if (own) {
    for (const name of SETTINGS.filter((each) => existsSync(join(homedir(), each)))) {
      mkdirSync(dirname(join(fleet.userHome, name)), { recursive: true });
      symlinkSync(join(homedir(), name), join(fleet.userHome, name));
    }
  }
  return fleet;
}

/** Files in the home directory of the fleet's user. */
export function inUserHome(fleet: ContainedFleet, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(fleet.userHome, name)), { recursive: true });
    writeFileSync(join(fleet.userHome, name), text);
  }
  fleet.give(fleet.userHome);
}

/** What a new agent printed that did a task; throws with all of it when the task has failed. */
export async function work(
  fleet: ContainedFleet,
  name: string,
  { script, role = 'shell' }: { readonly script: string; readonly role?: string },
): Promise<readonly string[]> {
  // Not the standard input of the shell: some tools read theirs.
  const task = `cat > /tmp/script <<'END-OF-SCRIPT'\n${script}\nEND-OF-SCRIPT\nexec sh -e /tmp/script < /dev/null`;
  await call(fleet, 'create_agent', { project: 'Setup', name, role, task });
  for (let waits = true; waits;)
    waits =
      (await call(fleet, 'wait_for_agents', { agent_names: name, timeout_seconds: 100 }))['timed_out'] ===
      true;
  const { agent } = await call(fleet, 'show_agent', { agent_name: name });
  const { logs } = await call(fleet, 'show_agent_log', { agent_name: name, page_size: 100 });
  const lines = (logs as { type: string; message: string }[])
    .toReversed()
    .filter(({ type }) => type !== 'input')
    .map(({ message }) => message);
  const { last_task_state } = agent as { last_task_state: string };
  if (last_task_state !== 'complete') throw new Error(`${last_task_state}:\n${lines.join('\n')}`);
  return lines;
}

async function call(
  fleet: ContainedFleet,
  operation: string,
  input: object,
): Promise<Record<string, unknown>> {
  const command = [process.execPath, FLEET, 'call', operation, JSON.stringify(input)] as const;
  const [file, ...args] = [...asUser(fleet.level.uid), ...command];
  const child = spawn(file, args, { env: fleet.env, cwd: fleet.directory });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`fleet call ${operation} ended with ${code}: ${printed}`);
  return JSON.parse(printed) as Record<string, unknown>;
}
