import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as Rows from '../src/backends/local/agent-rows.ts';
import type * as StartRunner from '../src/backends/local/start-runner.ts';
import type { Caller } from '../src/domain/principal.ts';
import type { Fleet } from '../src/fleet/fleet.ts';
import type * as OpenFleet from '../src/fleet/open-fleet.ts';
import type * as Invoke from '../src/operations/invoke.ts';
import type * as OperationTable from '../src/operations/table.ts';
import type * as ClockFile from '../src/platform/clock.ts';
import type * as StoreFile from '../src/store/store.ts';
import { run } from './run.ts';
import type { Place, Stage } from './stage.ts';

/** One form of the same program: the sources as Node runs them in a checkout, or the built package. */
export interface Edition {
  readonly label: 'source' | 'built';
  /** The file of the `fleet` command. */
  readonly launcher: string;
  open(place: Place): Promise<OpenedBench>;
  /** Starts the runner of a sleeping agent and answers when it listens. */
  startRunner(place: Place, workspaceId: string): Promise<void>;
}

export interface OpenedBench extends AsyncDisposable {
  readonly fleet: Fleet;
  /** One operation, as any door calls it. */
  call(operation: string, input: object): Promise<Record<string, unknown>>;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const CALLER: Caller = {
  principal: { kind: 'user', name: 'bench' },
  door: 'cli',
  source: 'human',
  scopes: new Set(['read', 'operate', 'approve']),
};

export function sourceEdition(): Edition {
  return edition('source', ROOT, 'src');
}

const builds = new WeakMap<Stage, Promise<Edition>>();

/** The package as npm would install it: bin, dist, package.json, and the dependencies of this checkout. */
export function builtEdition(stage: Stage): Promise<Edition> {
  const known = builds.get(stage) ?? build(stage);
  builds.set(stage, known);
  return known;
}

async function build(stage: Stage): Promise<Edition> {
  const root = join(stage.directory, 'package');
  mkdirSync(root);
  for (const part of ['bin', 'package.json']) cpSync(join(ROOT, part), join(root, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const compiler = join(ROOT, 'node_modules', '.bin', 'tsc');
  await run(compiler, ['-p', join(ROOT, 'tsconfig.build.json'), '--outDir', join(root, 'dist')]);
  return edition('built', root, 'dist');
}

function edition(label: Edition['label'], root: string, folder: string): Edition {
  const file = (path: string): string => {
    const source = join(root, folder, `${path}.ts`);
    return pathToFileURL(existsSync(source) ? source : join(root, folder, `${path}.js`)).href;
  };
  return {
    label,
    launcher: join(root, 'bin', 'fleet.js'),
    open: async (place) => {
      const { openFleet }: typeof OpenFleet = await import(file('fleet/open-fleet'));
      const { findOperation }: typeof OperationTable = await import(file('operations/table'));
      const { invoke }: typeof Invoke = await import(file('operations/invoke'));
      const opened = openFleet(place);
      return {
        fleet: opened.fleet,
        call: async (name, input) => {
          const operation = findOperation(name);
          if (operation === undefined) throw new Error(`there is no operation ${name}`);
          return { ...(await invoke(operation, input, { fleet: opened.fleet, caller: CALLER })) };
        },
        [Symbol.asyncDispose]: async () => opened[Symbol.asyncDispose](),
      };
    },
    startRunner: async ({ home }, workspaceId) => {
      const { startRunner }: typeof StartRunner = await import(file('backends/local/start-runner'));
      const { AgentRows }: typeof Rows = await import(file('backends/local/agent-rows'));
      const { Store }: typeof StoreFile = await import(file('store/store'));
      const { systemClock }: typeof ClockFile = await import(file('platform/clock'));
      using store = new Store(home);
      await startRunner({ home, store, rows: new AgentRows(store), clock: systemClock }, workspaceId);
    },
  };
}
