import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { shellWord } from '../../src/domain/values/text.ts';
import { FLEET, runFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { idleAgent } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';

const AS = 'git -c user.name=A -c user.email=a@localhost';
/** Latin-1, a name with a space, one that git quotes, Windows line ends, and a file without a last line end. */
const WORK = [
  `printf 'caf\\351\\n\\277\\277\\n' > latin.txt`,
  `printf 'one\\ntwo\\n' > 'with space.txt'`,
  `printf 'one\\r\\ntwo\\033[31m\\n' > "$(printf 'odd\\t"na\\\\me\\303\\251')"`,
  `printf 'old\\n' > end.txt; git add .; ${AS} commit -qm first; printf 'new' > end.txt`,
].join('; ');
const ODD_NAME = 'odd\t"na\\meé';

const it = fleetTest(() =>
  localFleet((config) => Object.assign(config.projects['Setup'] ?? {}, { default_role: 'shell' })),
);
it.beforeAll(async ({ ask }) => {
  await idleAgent(ask, 'sony', { task: WORK });
  await idleAgent(ask, 'busy', { task: WORK });
  await ask('start_agent_task', { agent_name: 'busy', task_description: 'sleep 600' });
});

/** A program that stands in for the user's editor: it adds a comment below each line that has some text. */
function editor(
  fleet: LocalFleet,
  comments: Readonly<Record<string, string>>,
  above = '',
): NodeJS.ProcessEnv {
  const file = join(fleet.directory, 'editor.cjs');
  writeFileSync(
    file,
    `const fs = require('fs'); const file = process.argv[2]; const comments = ${JSON.stringify(comments)};
const lines = fs.readFileSync(file, 'utf8').split('\\n').flatMap((line) => [line, ...Object.keys(comments).filter((each) => line.startsWith('> ') && line.includes(each)).map((each) => comments[each])]);
fs.writeFileSync(file, ${JSON.stringify(above)} + lines.join('\\n'));`,
  );
  return { ...fleet.env, VISUAL: `${shellWord(process.execPath)} ${shellWord(file)}` };
}

describe('text that is not plain', () => {
  it('is printed so that git apply takes it, byte for byte', async ({ fleet, ask }) => {
    const patch = execFileSync(process.execPath, [FLEET, 'diff', 'sony'], { env: fleet.env });
    execFileSync('git', ['-C', fleet.repository, 'apply', '--cached'], { input: patch });
    const staged = execFileSync('git', ['-C', fleet.repository, 'show', ':latin.txt']);
    expect(staged).toEqual(Buffer.from('caf\xe9\n\xbf\xbf\n', 'latin1'));
    execFileSync('git', ['-C', fleet.repository, 'reset', '--quiet']);
    const { files } = (await ask('show_agent_diff', { agent_name: 'sony', format: 'patch' })) as {
      files: { path: string; patch_base64?: string }[];
    };
    expect(files.filter((file) => file.patch_base64 !== undefined).map(({ path }) => path)).toEqual([
      'latin.txt',
    ]);
    const { stdout } = await runFleet(['diff', 'sony', '--json'], { env: fleet.env });
    expect((JSON.parse(stdout) as { files: object[] }).files).toEqual(files);
  });

  it('is commented on in the file that it is in [OP-review]', async ({ fleet, ask }) => {
    const env = editor(fleet, { '+two': 'say more', '+new': 'end', '+caf': 'accent' });
    const { code, stdout } = await runFleet(['review', 'sony'], { env });
    expect([code, stdout]).toEqual([0, expect.stringContaining('4 comments added')]);
    const { comments } = (await ask('list_review_comments', { agent_name: 'sony' })) as {
      comments: object[];
    };
    expect(comments).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ path: 'with space.txt', line: 2, text: 'say more', stale: false }),
        expect.objectContaining({ path: ODD_NAME, line: 2, snippet: 'two\u001b[31m', stale: false }),
        expect.objectContaining({ path: 'end.txt', line: 1, side: 'new', snippet: 'new', stale: false }),
        expect.objectContaining({ path: 'latin.txt', line: 1, stale: false }),
      ]),
    );
    await ask('send_review', { agent_name: 'sony', when_busy: 'queue' });
  });

  it('that a user wrote stays in a file when it cannot be sent', async ({ fleet }) => {
    const env = editor(fleet, { '+caf': 'accent' }, 'All of it is fine.\n');
    const { code, stderr } = await runFleet(['review', 'busy'], { env });
    expect(code).not.toBe(0);
    const file = /What you wrote is in (\S+)/.exec(stderr)?.[1] ?? '';
    expect(readFileSync(file, 'utf8')).toMatch(/^All of it is fine\.\n[^]*\naccent\n/);
    rmSync(dirname(file), { recursive: true });
    const broken = { ...fleet.env, VISUAL: 'false' };
    expect((await runFleet(['review', 'busy'], { env: broken })).stderr).not.toContain('What you wrote');
    const queued = await runFleet(['review', 'busy', '--queue'], { env });
    expect([queued.code, existsSync(file)]).toEqual([0, false]);
  });
});
