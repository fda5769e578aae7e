// An agent that tries to get out. Says for each way whether it got anywhere, one JSON line each.
import { spawnSync } from 'node:child_process';
import { openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { needPower, nested, reach, run, tryAll } from './escapes/ways.mjs';

const { home, other, runner } = JSON.parse(readFileSync(0, 'utf8'));
if (home === undefined) process.exit(0);
const own = process.env.FLEET_WORKSPACE_ID;
const token = join(home, 'token');
const owner = { ...process.env, FLEET_HOME: home };
delete owner.FLEET_SELF_SOCKET;

const tries = {
  'read the token': () => readFileSync(token, 'utf8'),
  'read the token from the directory above': () => readFileSync('../../../token', 'utf8'),
  'read the token by its init': () => readFileSync(join('/proc/1/root', token), 'utf8'),
  'read the token by the directory of its init': () => readFileSync('/proc/1/cwd/../../../token', 'utf8'),
  'lift the mask': () => run('sh', '-c', `umount '${home}' && cat '${token}'`),
  'lift the mask from a namespace of its own': () => nested(`umount -l '${home}'; cat '${token}'`),
  'look below the mask': () => nested(`mkdir -p below && mount --bind / below && cat "below${token}"`),
  'read the login of a coding agent': () => readFileSync(join(home, 'logins', 'claude'), 'utf8'),
  'read the store': () => readFileSync(join(home, 'store.db')),
  'write to the store': () => openSync(join(home, 'store.db'), 'r+'),
  'put a file into the home': () => writeFileSync(join(home, 'planted'), ''),
  'read another journal': () => readFileSync(join(home, 'agents', other, 'journal.db')),
  'list another workspace': () => readdirSync(join(home, 'agents', other, 'work')),
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
  'see the terminal of another': () => {
    if (!readdirSync('/dev/pts').some((name) => /^\d+$/.test(name))) throw new Error('none');
  },
  'open a disk': () => {
    if (readdirSync('/dev').some((name) => /^(vd|sd|nvme|loop|mem$|kmsg$)/.test(name))) return;
    throw new Error('none');
  },
  'make a file that nobody can remove': () => needPower(9),
  'use the fleet as its owner': () => asOwner('call', 'list_agents'),
  'make a token': () => asOwner('token', 'create', 'mine'),
  'stop itself by its own socket': () => post('end', { kind: 'stop' }),
  'cancel its task by its own socket': () => post('cancel', {}),
};
const uses = {
  'write in its workspace': () => writeFileSync('made-by-the-agent', 'yes'),
  commit: () => {
    run('git', 'add', 'made-by-the-agent');
    run('git', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'made');
  },
  'have a terminal of its own': () => run('script', '--quiet', '--command', 'test -t 0', '/dev/null'),
  'use the usual devices': () => run('sh', '-c', 'head -c 4 /dev/urandom > /dev/null && echo x > /dev/shm/x'),
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
await tryAll({ ...tries, ...uses, ...last });

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
