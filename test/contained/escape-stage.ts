import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { cachesOf } from '../../src/backends/local/workspace/own-places.ts';
import { findProgram } from '../../src/platform/processes/find-program.ts';
import { FLEET } from '../support/fleets/fleet-process.ts';
import { asUser, type ContainedFleet } from './level.ts';

const FILES = ['.bashrc', '.config/some/file', '.ssh/known_hosts'];

/** Prints the kind and the bytes of the handle by which the kernel knows a file. */
const NAME_TO_HANDLE = `
import ctypes, sys
class Handle(ctypes.Structure):
    _fields_ = [('bytes', ctypes.c_uint), ('kind', ctypes.c_int), ('data', ctypes.c_ubyte * 128)]
handle, mount = Handle(128), ctypes.c_int()
ctypes.CDLL(None).name_to_handle_at(-100, sys.argv[1].encode(), ctypes.byref(handle), ctypes.byref(mount), 0)
print(handle.kind, bytes(handle.data[:handle.bytes]).hex())
`;

interface EscapeStage extends AsyncDisposable {
  /** What came of each way that an agent of a role tried. */
  outcomes(role: string): Readonly<Record<string, string>>;
}

/** A user at work: files, processes, shared memory and services, a control group, and agents in two projects. */
export async function escapeStage(fleet: ContainedFleet): Promise<EscapeStage> {
  const { uid } = fleet.level;
  for (const file of FILES) {
    mkdirSync(dirname(join(fleet.userHome, file)), { recursive: true });
    writeFileSync(join(fleet.userHome, file), '# content\n');
  }
  const group = makeGroup(fleet);
  const loopback = await listening((server) => server.listen(0, '127.0.0.1'));
  const abstract = await listening((server) => server.listen(`\0${fleet.id}`));
  mkdirSync(join(fleet.home, 'adapters'), { recursive: true, mode: 0o700 });
  if (uid !== undefined) spawnSync('chown', ['-R', `${uid}:${uid}`, fleet.userHome, fleet.home]);
  const [file, ...args] = [...asUser(uid), 'sleep', '600'];
  const victim = spawn(file, args, { stdio: 'ignore', cwd: '/' });
  await once(victim, 'spawn');
  const segment = Number(/\d+/.exec(output([...asUser(uid), 'ipcmk', '--shmem', '4096']))?.[0] ?? -1);
  fleet.fleet('token');
  const other = agentOf(fleet, 'other', 'Other');
  const python = ['/usr/bin/python3', findProgram('python3', process.env['PATH']) ?? 'python3'].find(
    (path) => spawnSync(path, ['-c', '0'], { env: fleet.env }).status === 0,
  );
  const [kind, data] = output([python ?? 'false', '-c', NAME_TO_HANDLE, join(fleet.home, 'token')]).split(
    /\s+/,
  );
  const given = {
    home: fleet.home,
    other,
    otherCaches: cachesOf(fleet.home, 'Other'),
    packageRoot: dirname(dirname(FLEET)),
    adapters: join(fleet.home, 'adapters'),
    victim: victim.pid,
    segment,
    group: group ?? '/nowhere',
    python: python ?? 'python3',
    handle: { kind: Number(kind), data },
    port: (loopback.address() as AddressInfo).port,
    abstract: fleet.id,
  };
  return {
    outcomes: (role) => {
      fleet.create('ada', role, '{}');
      fleet.call('start_agent_task', { agent_name: 'ada', task_description: JSON.stringify(given) });
      fleet.idle('ada');
      return fleet.outcomes('ada');
    },
    [Symbol.asyncDispose]: async () => {
      for (const server of [loopback, abstract]) server.close();
      const exited = once(victim, 'exit');
      victim.kill('SIGKILL');
      await exited;
      if (segment >= 0) spawnSync('ipcrm', ['--shmem-id', String(segment)]);
      if (group !== undefined) rmdirSync(group);
    },
  };
}

function agentOf(fleet: ContainedFleet, name: string, project: string): string {
  const input = { project, name, role: 'shell', task: 'mkdir -p "$npm_config_cache"' };
  const { agent } = fleet.call('create_agent', input);
  fleet.idle(name);
  return (agent as { workspace_id: string }).workspace_id;
}

/** A control group of the level's user, as systemd makes them; undefined where none can be made. */
function makeGroup({ id, level: { uid } }: ContainedFleet): string | undefined {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  const [, mount] = mounts.map((line) => line.split(' ')).find(([, , type]) => type === 'cgroup2') ?? [];
  if (mount === undefined) return undefined;
  const group = join(mount, id);
  try {
    mkdirSync(group);
  } catch {
    return undefined;
  }
  if (uid !== undefined) for (const path of [group, join(group, 'cgroup.procs')]) chownSync(path, uid, uid);
  return group;
}

async function listening(listen: (server: Server) => void): Promise<Server> {
  const server = createServer();
  listen(server);
  await once(server, 'listening');
  return server;
}

function output([file = '', ...args]: readonly string[]): string {
  return spawnSync(file, args, { encoding: 'utf8' }).stdout ?? '';
}
