// An agent that tries to get out. Says for each way whether it got anywhere, one JSON line each.
import { execFileSync, spawnSync } from 'node:child_process';
import { openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';

const { home, other, runner } = JSON.parse(readFileSync(0, 'utf8'));
if (home === undefined) process.exit(0);
const own = process.env.FLEET_WORKSPACE_ID;
const token = join(home, 'token');
const owner = { ...process.env, FLEET_HOME: home };
delete owner.FLEET_SELF_SOCKET;
const nested = (script) => run('unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script);

const tries = {
  'read the token': () => readFileSync(token, 'utf8'),
  'read the token from the directory above': () => readFileSync('../../token', 'utf8'),
  'read the token by its init': () => readFileSync(join('/proc/1/root', token), 'utf8'),
  'read the token by the directory of its init': () => readFileSync('/proc/1/cwd/../../token', 'utf8'),
  'lift the mask': () => run('sh', '-c', `umount '${home}' && cat '${token}'`),
  'lift the mask from a namespace of its own': () => nested(`umount -l '${home}'; cat '${token}'`),
  'look below the mask': () => nested(`mkdir -p below && mount --bind / below && cat "below${token}"`),
  'read the store': () => readFileSync(join(home, 'store.db')),
  'write to the store': () => openSync(join(home, 'store.db'), 'r+'),
  'put a file into the home': () => writeFileSync(join(home, 'planted'), ''),
  'read another journal': () => readFileSync(join(home, 'agents', other, 'journal.db')),
  'list another worktree': () => readdirSync(join(home, 'worktrees', other)),
  'reach another runner': () => reach(join(home, 'agents', other, 'runner.sock')),
  'reach another agent as itself': () => reach(join(home, 'agents', other, 'self.sock')),
  'reach its own runner': () => reach(join(home, 'agents', own, 'runner.sock')),
  'write to its own journal': () => openSync(join(home, 'agents', own, 'journal.db'), 'r+'),
  'send a signal to the runner': () => process.kill(runner, 0),
  'read the environment of the runner': () => readFileSync(`/proc/${runner}/environ`),
  'listen to the network of the machine': () => needPower(13),
  'change the network of the machine': () => needPower(12),
  'have the kernel run a program outside': () => openSync('/proc/sys/kernel/core_pattern', 'r+'),
  'end the machine': () => openSync('/proc/sysrq-trigger', 'w'),
  'leave its control group': () => leaveGroup(),
  'use the fleet as its owner': () => asOwner('call', 'list_agents'),
  'make a token': () => asOwner('token', 'create', 'mine'),
  'stop itself by its own socket': () => post('end', { kind: 'stop' }),
  'cancel its task by its own socket': () => post('cancel', {}),
};
const uses = {
  'write in its worktree': () => writeFileSync('made-by-the-agent', 'yes'),
  commit: () => {
    run('git', 'add', 'made-by-the-agent');
    run('git', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'made');
  },
  report: () => run('fleet', 'report', 'hello'),
  'queue a task for itself': () => run('fleet', 'task', '--self', '{}'),
  'see the processes of its own alone': () => {
    const seen = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    if (seen.length > 10) throw new Error(`${seen.length} processes`);
  },
};
const last = {
  'change the command that it was given': () => writeFileSync(join(home, 'agents', own, 'bin', 'fleet'), ''),
};
for (const [what, attempt] of Object.entries({ ...tries, ...uses, ...last })) {
  const outcome = await Promise.resolve()
    .then(attempt)
    .then(
      () => 'yes',
      (error) => `no: ${error.code ?? error.message}`,
    );
  console.log(JSON.stringify({ what, outcome }));
}

function run(file, ...args) {
  return execFileSync(file, args, { encoding: 'utf8', stdio: 'pipe' });
}

/** Of the powers that a process can have, by their numbers in the kernel. */
function needPower(number) {
  const [, held] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  if (((BigInt(`0x${held}`) >> BigInt(number)) & 1n) === 0n) throw new Error('not held');
}

function leaveGroup() {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  const groups = mounts.map((line) => line.split(' ')).filter(([, , type]) => type?.startsWith('cgroup'));
  const open = groups.filter(([, path]) => {
    try {
      openSync(join(path, 'cgroup.procs'), 'r+');
      return true;
    } catch {
      return false;
    }
  });
  if (open.length === 0) throw new Error(`none of ${groups.length}`);
}

function asOwner(...args) {
  const { status, stderr } = spawnSync('fleet', args, { env: owner, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

function reach(socket) {
  return new Promise((resolve, reject) => {
    const connection = connect(socket);
    connection.once('connect', () => resolve(connection.destroy())).once('error', reject);
  });
}

function post(path, fields) {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { socketPath: process.env.FLEET_SELF_SOCKET, path: `/v1/${path}`, method: 'POST' },
      (response) =>
        response.statusCode === 200 ? resolve() : reject(new Error(String(response.statusCode))),
    );
    outgoing.once('error', reject);
    outgoing.end(JSON.stringify({ ...fields, by: { principal: 'user:owner', door: 'cli' } }));
  });
}
