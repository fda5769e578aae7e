import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { jsonIn } from '../../domain/values/text.ts';
import { identify, isLiveProcess } from '../../platform/processes/process-identity.ts';
import { writeFileAtomic } from '../../platform/write-file.ts';

const serverSchema = z.object({
  url: z.string(),
  /** The address behind a proxy, if one is configured. */
  public_url: z.string().nullable(),
  since: z.iso.datetime(),
  process: z.object({ pid: z.int(), started: z.string(), boot: z.string() }),
});

export type RunningServer = z.output<typeof serverSchema>;

/** The `fleet serve` processes of a home, each with a file as long as it runs. */
export class RunningServers {
  readonly #directory: string;

  constructor(home: string) {
    this.#directory = join(home, 'serving');
  }

  /** Notes this process as a server, until it is disposed. */
  note(address: Pick<RunningServer, 'url' | 'public_url'>): Disposable {
    const file = join(this.#directory, `${process.pid}.json`);
    const own = identify(process.pid);
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    writeFileAtomic(file, JSON.stringify({ ...address, since: new Date().toISOString(), process: own }));
    return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
  }

  /** Those that run, the newest first. Files of dead ones are removed. */
  list(): readonly RunningServer[] {
    return namesIn(this.#directory)
      .flatMap((name) => {
        const file = join(this.#directory, name);
        const server = readServer(file);
        if (server !== undefined && isLiveProcess(server.process)) return [server];
        rmSync(file, { force: true });
        return [];
      })
      .toSorted((a, b) => b.since.localeCompare(a.since));
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

function readServer(file: string): RunningServer | undefined {
  try {
    return serverSchema.safeParse(jsonIn(readFileSync(file, 'utf8'))).data;
  } catch {
    return undefined;
  }
}
