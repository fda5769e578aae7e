import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codingAgent } from '../../src/agents/catalogue.ts';
import { versionDirectory } from '../../src/agents/adapter-of.ts';
import { ContainedFleet, LEVELS, why } from './level.ts';

describe.each(LEVELS.filter(({ sealed }) => sealed))('an agent $name', (level) => {
  it.skipIf(level.skip !== undefined)(
    `has caches that it shares with the agents of its project alone, unless its role says otherwise${why(level)}`,
    async () => {
      await using fleet = new ContainedFleet(level);
      fleet.create(
        'one',
        'shell',
        'mkdir -p "$GOCACHE" && echo kept > "$GOCACHE/some" && echo "$npm_config_cache"',
      );
      fleet.create('two', 'shell', 'cat "$GOCACHE/some"');
      const [cache = ''] = fleet.lines('one');
      expect(cache.startsWith(join(fleet.home, 'caches'))).toBe(true);
      expect(fleet.lines('two')[0]).toBe('kept');
    },
  );

  it.skipIf(level.skip !== undefined)(
    `finds settings and packages of its user where its tools look for them, and follows no link of another agent${why(level)}`,
    async () => {
      await using fleet = new ContainedFleet(level);
      const python = join('.local', 'lib', 'python3.99', 'site-packages');
      for (const [file, text] of [
        ['.cargo/config.toml', '# of cargo'],
        ['.gradle/gradle.properties', '# of gradle'],
        ['.cache/ms-playwright/chromium-1/browser', 'a browser'],
        [join(python, 'module.py'), ''],
        ['.config/some', ''],
      ] as const) {
        mkdirSync(join(fleet.userHome, file, '..'), { recursive: true });
        writeFileSync(join(fleet.userHome, file), `${text}\n`);
      }
      fleet.give(fleet.userHome);
      fleet.create(
        'one',
        'shell',
        `cat "$CARGO_HOME/config.toml" "$GRADLE_USER_HOME/gradle.properties" "$XDG_CACHE_HOME/ms-playwright/chromium-1/browser" "$PYTHONUSERBASE/lib/python3.99/site-packages/"*.pth
         rm -r "$CARGO_HOME" "$PYTHONUSERBASE"; ln -s '${fleet.userHome}/.config' "$CARGO_HOME"; ln -s '${fleet.userHome}/.config/new' "$PYTHONUSERBASE"`,
      );
      expect(fleet.lines('one')).toEqual([
        '# of cargo',
        '# of gradle',
        'a browser',
        join(fleet.userHome, python),
      ]);
      fleet.create('two', 'shell', 'readlink "$CARGO_HOME"');
      expect(fleet.lines('two')).toEqual([join(fleet.userHome, '.config')]);
      expect(readdirSync(join(fleet.userHome, '.config'))).toEqual(['some']);
    },
  );

  it.skipIf(level.skip !== undefined)(
    `keeps settings and sessions in a directory of its own, never in that of its user${why(level)}`,
    async () => {
      await using fleet = new ContainedFleet(level);
      installClaude(fleet);
      fleet.env['ANTHROPIC_API_KEY'] = 'x';
      fleet.env['CLAUDE_CONFIG_DIR'] = join(fleet.userHome, '.claude');
      const { agent } = fleet.call('create_agent', {
        project: 'Setup',
        name: 'ada',
        role: 'coder',
        task: 'x',
      });
      fleet.idle('ada');
      const state = join(
        fleet.home,
        'agents',
        (agent as { workspace_id: string }).workspace_id,
        'state',
        'claude',
      );
      expect(readFileSync(join(state, 'made'), 'utf8')).toBe('in my own');
      expect(existsSync(join(fleet.userHome, '.claude'))).toBe(false);
    },
  );
});

const [asSelf] = LEVELS;
const TOOLS: readonly (readonly [string, string, string])[] = [
  [
    'go',
    'printf "module m\\n" > go.mod; printf "package m\\n" > m.go; go build ./... && ls "$GOCACHE" | grep -q . && echo built',
    'built',
  ],
  [
    'cargo',
    'cargo init --quiet --name made --vcs none . 2>&1; cargo build --quiet 2>&1; ./target/debug/made',
    'Hello, world!',
  ],
  [
    'npm',
    'printf "{\\"name\\":\\"m\\",\\"version\\":\\"1.0.0\\",\\"lockfileVersion\\":3,\\"packages\\":{}}" > package-lock.json; printf "{\\"name\\":\\"m\\",\\"version\\":\\"1.0.0\\"}" > package.json; npm ci --silent && echo done',
    'done',
  ],
  ['python3', 'python3 -m venv --without-pip v && v/bin/python -c "print(1)"', '1'],
];

describe.runIf(asSelf?.skip === undefined)('a sandboxed agent', () => {
  it.for(TOOLS)('can work with %s', async ([tool, script, last], { skip }) => {
    if (!worksHere(tool) || asSelf === undefined) return skip(`${tool} does not work on this machine`);
    await using fleet = new ContainedFleet(asSelf);
    // The tools of this user, which may be in the home directory.
    fleet.env['HOME'] = homedir();
    fleet.create('builder', 'shell', script);
    expect(fleet.lines('builder').at(-1)).toBe(last);
  });
});

/** A tool may be on PATH and not work: rustup finds its toolchain by the home directory. */
function worksHere(tool: string): boolean {
  return spawnSync(tool, [tool === 'go' ? 'version' : '--version'], { stdio: 'ignore' }).status === 0;
}

/** An adapter that says where its settings are, and ends. */
function installClaude(fleet: ContainedFleet): void {
  const claude = codingAgent('claude');
  if (claude === undefined) return;
  const directory = versionDirectory(claude, fleet.home, claude.version);
  const entry = join(directory, claude.entry);
  mkdirSync(join(entry, '..'), { recursive: true });
  mkdirSync(join(directory, 'node_modules', `${claude.build}here`), { recursive: true });
  writeFileSync(
    entry,
    `const fs = require('node:fs'); const own = process.env.CLAUDE_CONFIG_DIR;
     fs.mkdirSync(own, { recursive: true }); fs.writeFileSync(own + '/made', 'in my own');`,
  );
  writeFileSync(join(fleet.home, 'adapters', 'claude', 'current'), `${claude.version}\n`);
  fleet.give(fleet.home);
}
