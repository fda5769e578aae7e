import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Caller } from '../src/domain/principal.ts';
import type { Fleet } from '../src/fleet/fleet.ts';
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
      const { openFleet }: typeof import('../src/fleet/open-fleet.ts') = await import(
        file('fleet/open-fleet')
      );
      const { findOperation }: typeof import('../src/operations/table.ts') = await import(
        file('operations/table')
      );
      const { invoke }: typeof import('../src/operations/invoke.ts') = await import(file('operations/invoke'));
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
    startRunner: async (place, workspaceId) => {
      const { startRunner }: typeof import('../src/backends/local/start-runner.ts') = await import(
        file('backends/local/start-runner')
      );
      const { AgentRows }: typeof import('../src/backends/local/agent-rows.ts') = await import(
        file('backends/local/agent-rows')
      );
      const { Store }: typeof import('../src/store/store.ts') = await import(file('store/store'));
      const { systemClock }: typeof import('../src/platform/clock.ts') = await import(file('platform/clock'));
      using store = new Store(place.home);
      await startRunner(
        { home: place.home, store, rows: new AgentRows(store), clock: systemClock },
        workspaceId,
      );
    },
  };
}
