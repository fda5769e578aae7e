import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { namedFiles } from './named-files.ts';
import { parseConfig } from './parse-config.ts';

const TRACKED = ['run.sh', 'server.mjs', 'x.mjs', 'with space.sh', 'a=b.sh'];
let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'fleet named ü-'));
  execFileSync('git', ['init', '--quiet'], { cwd: root });
  for (const name of [...TRACKED, 'data.db']) writeFileSync(join(root, name), '\n');
  execFileSync('git', ['add', ...TRACKED], { cwd: root });
});
afterAll(() => rmSync(root, { recursive: true }));

const role = (settings: object) => ({ roles: { r: { agent: 'command', command: ['true'], ...settings } } });
const project = (settings: object) => ({ projects: { p: { repository: '.', ...settings } } });
const server = (settings: object) => ({ mcpServers: { s: { command: 'node', ...settings } } });

test.for([
  ['a role that runs a shell line', role({ command: ['sh', '-c', './run.sh --fast'] }), ['run.sh']],
  ['a variable of a role', role({ env: { NODE_OPTIONS: '--import ./x.mjs' } }), ['x.mjs']],
  ['an option with a value', role({ command: ['node', '--import=./x.mjs'] }), ['x.mjs']],
  ['a path with a space', role({ command: ['./with space.sh'] }), ['with space.sh']],
  ['a quoted path with a space', role({ command: ['sh', '-c', `'./with space.sh' 1`] }), ['with space.sh']],
  ['a path with an equals sign', role({ command: ['sh', './a=b.sh'] }), ['a=b.sh']],
  ['a setup line', project({ setup: 'A=1 ./run.sh' }), ['run.sh']],
  ['a setup list', project({ setup: ['sh', '-c', 'true&&./run.sh'] }), ['run.sh']],
  ['a check line', project({ checks: { c: 'echo `./run.sh`' } }), ['run.sh']],
  ['a check list', project({ checks: { c: { run: ['sh', '-c', 'x=$(./run.sh)'] } } }), ['run.sh']],
  ['a server in a shell', server({ command: 'sh', args: ['-c', 'exec node server.mjs;'] }), ['server.mjs']],
  ['a variable of a server', server({ env: { LD_PRELOAD: './x.mjs:./run.sh' } }), ['run.sh', 'x.mjs']],
  ['data that git does not track', server({ args: ['-c', 'node --db=data.db'] }), []],
] as const)('finds the files of %s', ([, settings, files]) => {
  const text = JSON.stringify({ version: 1, ...settings });
  const { config } = parseConfig({ text, path: join(root, 'fleet.yaml'), env: {} });
  expect(namedFiles(config, root).files.map((file) => relative(root, file))).toEqual(files);
});
