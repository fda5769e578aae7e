import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { processesNaming } from '../support/fleets/local-fleet.ts';
import { asUser, ContainedFleet, LEVELS, why } from './level.ts';

const READS = fileURLToPath(new URL('./programs/reads.ts', import.meta.url));

/** Says what it can do, a line each. Arguments: a port of this machine, a file of the user's, one of the fleet's, a
 *  name for a file in memory, and directories to write to. */
const TRIES = `
port=$1 user=$2 fleet=$3 memory=$4
shift 4
echo "home: $HOME"
GIT_ALLOW_PROTOCOL=git git ls-remote "git://127.0.0.1:$port/x" > /dev/null 2>&1
for device in $(sed -n 's/^ *\\([^:|]*\\):.*/\\1/p' /proc/net/dev); do echo "network device $device"; done
cat "$user" 2> /dev/null && echo ' is read'
cat "$fleet" 2> /dev/null && echo ' is read'
cat file.txt
for at in "$@" $(cut -d ' ' -f 5 /proc/self/mountinfo); do
  [ -d "$at" ] && touch "$at/fleet-was-here" 2> /dev/null && rm "$at/fleet-was-here" && echo "writes to $at"
done
touch "/dev/shm/$memory"
exit 0
`;

interface Outcome {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly scratch: string;
}

describe.each(LEVELS.filter(({ sealed }) => sealed))(
  'the program that reads the repository of an agent $name',
  (level) => {
    it.skipIf(level.skip !== undefined)(
      `has no network, no home of its user, and nothing to write to but its own directory${why(level)}`,
      async () => {
        await using place = new Place(level);
        const tried = await place.tries(true);
        expect(tried.ok).toBe(true);
        expect(new Set(tried.stdout.trim().split('\n'))).toEqual(
          new Set([
            `home: ${tried.scratch}`,
            'network device lo',
            'of the workspace',
            `writes to ${tried.scratch}`,
            // Memory that no other program sees.
            'writes to /dev/shm',
          ]),
        );
        expect(existsSync(join('/dev/shm', place.fleet.id))).toBe(false);
        expect(place.connections).toBe(0);
        // A program that sees the machine as it is gets all of it.
        const { stdout } = await place.tries(false);
        expect(stdout).toContain('of the user is read');
        expect(stdout).toContain('of the fleet is read');
        expect(existsSync(join('/dev/shm', place.fleet.id))).toBe(true);
        for (const directory of place.directories) expect(stdout).toContain(`writes to ${directory}\n`);
        expect(place.connections).toBe(1);
      },
    );

    it.skipIf(level.skip !== undefined)(
      `is ended with all that it started when it takes too long${why(level)}`,
      async () => {
        await using place = new Place(level);
        const name = join(place.fleet.directory, 'sleeps');
        const script = 'sh -c "sleep 1000; :" "$1" & setsid sh -c "sleep 1000; :" "$1"; echo slept';
        const { ok, stdout, stderr } = await place.read(true, 2000, script, name);
        expect({ ok, stdout, stderr }).toEqual({
          ok: false,
          stdout: '',
          stderr: 'it took longer than 2 s',
        });
        expect(processesNaming(name)).toEqual([]);
      },
    );
  },
);

/** A workspace of a fleet, with files around it, and a server that counts who calls. */
class Place implements AsyncDisposable {
  readonly fleet: ContainedFleet;
  readonly directories: readonly string[];
  connections = 0;
  readonly #server = createServer((socket) => {
    this.connections += 1;
    socket.destroy();
  });

  constructor(level: (typeof LEVELS)[number]) {
    this.fleet = new ContainedFleet(level);
    const { home, userHome, directory } = this.fleet;
    const work = join(home, 'agents', '00000000-0000-4000-8000-000000000001', 'work');
    mkdirSync(work, { recursive: true });
    writeFileSync(join(work, 'file.txt'), 'of the workspace\n');
    writeFileSync(join(home, 'token'), 'of the fleet');
    writeFileSync(join(userHome, 'secret'), 'of the user');
    this.fleet.give(directory);
    this.directories = [
      work,
      home,
      userHome,
      join(directory, 'setup', '.git'),
      '/tmp',
      '/var/tmp',
      '/dev/shm',
    ];
  }

  async tries(contained: boolean): Promise<Outcome> {
    if (!this.#server.listening) await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    const { port } = this.#server.address() as AddressInfo;
    const { home, userHome } = this.fleet;
    const files = [join(userHome, 'secret'), join(home, 'token')];
    return this.read(contained, 60_000, TRIES, String(port), ...files, this.fleet.id, ...this.directories);
  }

  async read(contained: boolean, limit_ms: number, script: string, ...args: string[]): Promise<Outcome> {
    const { home, directory, env, level } = this.fleet;
    const words = [home, join(directory, 'setup'), String(contained), String(limit_ms), script, ...args];
    const [file = '', ...rest] = [...asUser(level.uid), process.execPath, READS, ...words];
    const child = spawn(file, rest, { env, cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] });
    const [outcome] = await Promise.all([json(child.stdout), once(child, 'close')]);
    return outcome as Outcome;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    rmSync(join('/dev/shm', this.fleet.id), { force: true });
    await this.fleet[Symbol.asyncDispose]();
  }
}
