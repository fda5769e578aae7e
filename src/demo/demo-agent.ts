import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** The program that the demo's agents run: no model, but real work in a real repository, and it says what it does. */
const PACE_MS = Number(process.env['FLEET_DEMO_PACE_MS'] ?? 2000);

const JOBS: readonly { readonly when: RegExp; readonly work: () => Promise<void> }[] = [
  { when: /median/i, work: addMedian },
  { when: /\bsum\b/i, work: addSum },
  { when: /slug/i, work: fixSlug },
  { when: /\b(?:MIT|Apache)\b/i, work: addLicence },
  { when: /licen[cs]e/i, work: askForLicence },
];

const task = await text(process.stdin);
await say(`my task: ${task.trim()}`);
await (JOBS.find(({ when }) => when.test(task))?.work ?? lookAround)();

async function addMedian(): Promise<void> {
  await read('stats.js');
  if (contentOf('stats.js').includes('function median')) return done('stats.js has a median already');
  await say('edit stats.js: a median function');
  appendFileSync(
    'stats.js',
    `
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : mean([sorted[middle - 1], sorted[middle]]);
}
`,
  );
  await say('edit stats.test.js: two tests for it');
  writeFileSync(
    'stats.test.js',
    `${contentOf('stats.test.js').replace('{ mean }', '{ mean, median }')}
test('median of an odd and an even number of numbers', () => {
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([1, 2, 3, 10]), 2.5);
});
`,
  );
  if (await runTests('stats.test.js'))
    await commit('Add median to stats', 'median is in stats.js, with a test');
}

/** At the same place as the median: the two branches conflict. */
async function addSum(): Promise<void> {
  await read('stats.js');
  if (contentOf('stats.js').includes('function sum')) return done('stats.js has a sum already');
  await say('edit stats.js: a sum function');
  appendFileSync(
    'stats.js',
    `
export function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}
`,
  );
  await say('edit stats.test.js: a test for it');
  writeFileSync(
    'stats.test.js',
    `${contentOf('stats.test.js').replace('{ mean }', '{ mean, sum }')}
test('sum of some numbers', () => {
  assert.equal(sum([1, 2, 6]), 9);
});
`,
  );
  if (await runTests('stats.test.js')) await commit('Add sum to stats', 'sum is in stats.js, with a test');
}

async function fixSlug(): Promise<void> {
  await runTests('slug.test.js');
  await read('slug.js');
  await say('edit slug.js: replace every space, not the first one only');
  writeFileSync('slug.js', contentOf('slug.js').replace(`.replace(' ', '-')`, `.replaceAll(' ', '-')`));
  if (await runTests('slug.test.js'))
    await commit('Replace every space in a slug', 'slug() keeps no space; its test passes');
}

async function askForLicence(): Promise<void> {
  await read('package.json');
  await say(
    existsSync('LICENSE') ? 'there is a LICENSE' : 'there is no LICENSE, and package.json names none',
  );
  await say('this is not mine to decide: asking');
  fleet(
    'report',
    'Which licence should tiny-kit have, MIT or Apache-2.0? Give me a task with the answer.',
    '--state',
    'failure',
  );
}

/** The answer to its question. */
async function addLicence(): Promise<void> {
  const name = /apache/i.test(task) ? 'Apache-2.0' : 'MIT';
  await say(`edit package.json: the licence is ${name}`);
  writeFileSync(
    'package.json',
    contentOf('package.json').replace('"type": "module"', `"license": "${name}",\n  "type": "module"`),
  );
  await commit(`License under ${name}`, `package.json names the licence ${name}`);
}

async function lookAround(): Promise<void> {
  await say(
    `files: ${readdirSync('.')
      .filter((name) => name !== '.git')
      .join(', ')}`,
  );
  const passed = await runTests();
  fleet(
    'report',
    passed ? 'Looked around: all tests pass' : 'Looked around: a test fails on this branch',
    '--state',
    'complete',
  );
}

async function read(file: string): Promise<void> {
  await say(`read ${file} (${contentOf(file).split('\n').length - 1} lines)`);
}

function contentOf(file: string): string {
  return readFileSync(file, 'utf8');
}

async function runTests(...files: string[]): Promise<boolean> {
  await say(`run node --test ${files.join(' ')}`.trim());
  const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', ...files], {
    encoding: 'utf8',
  });
  const count = (what: string): string => new RegExp(`^# ${what} (\\d+)`, 'm').exec(stdout)?.[1] ?? '0';
  await say(`${count('pass')} passed, ${count('fail')} failed`);
  return status === 0;
}

async function commit(message: string, report: string): Promise<void> {
  spawnSync('git', ['add', '--all']);
  const { status, stdout } = spawnSync('git', ['commit', '-m', message], { encoding: 'utf8' });
  if (status !== 0) return done('there is nothing to commit');
  await say(stdout.split('\n')[0] ?? message);
  await done(report);
}

async function done(report: string): Promise<void> {
  await say(report);
  fleet('report', report, '--state', 'complete');
}

async function say(line: string): Promise<void> {
  console.log(line);
  await delay(PACE_MS);
}

function fleet(...args: string[]): void {
  const { status, stderr } = spawnSync('fleet', args, { encoding: 'utf8' });
  if (status !== 0) console.error(stderr);
}
